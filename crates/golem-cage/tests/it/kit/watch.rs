//! An accountant who knows the rules only from their text and keeps every receipt: no slots, no rings, no saturation.

use golem_cage::CageConfig;
use golem_core::Usdc;
use std::collections::BTreeMap;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 86_400_000;

#[derive(Debug, Default)]
pub struct Watch {
    now: u64,
    navs: Vec<(u64, u64)>,
    open: BTreeMap<u64, (u64, u128)>,
    done: Vec<(u64, u128)>,
}

impl Watch {
    pub fn saw(&mut self, now_ms: u64, nav: Usdc) {
        self.now = self.now.max(now_ms);
        self.navs.push((self.now, nav.0));
    }
    /// From here on there is so much more, whether anyone looks or not.
    pub fn fed(&mut self, amount: Usdc) {
        if let Some((_, nav)) = self.navs.last().copied() {
            self.navs.push((self.now, nav.saturating_add(amount.0)));
        }
    }
    pub fn settled(&mut self, permit: u64, moved: u128) {
        self.open.remove(&permit);
        self.done.push((self.now, moved));
    }
    pub fn life(&self) -> u128 {
        self.within(u64::MAX)
    }
    fn within(&self, length: u64) -> u128 {
        let recent = self.done.iter().filter(|(at, _)| self.now - at < length).map(|(_, moved)| moved).sum::<u128>();
        // What nobody settled for a day can no longer happen, and is taken to have happened when it was permitted.
        let open = self.open.values().filter(|(at, _)| self.now - at < length.max(DAY_MS));
        recent + open.map(|(_, most)| most).sum::<u128>()
    }
    /// The value in force when a window of this length began.
    fn began(&self, length: u64) -> u64 {
        let start = self.now.saturating_sub(length);
        let before = self.navs.iter().rev().find(|(at, _)| *at <= start && self.now >= length);
        before.or(self.navs.first()).map_or(0, |(_, nav)| *nav)
    }
    /// A permit was issued; says which limit that breaks.
    pub fn permitted(&mut self, permit: u64, at_risk: u128, config: &CageConfig) -> Result<(), String> {
        assert!(self.open.insert(permit, (self.now, at_risk)).is_none(), "permit {permit} was issued twice");
        if at_risk == 0 {
            // Caps may have fallen below what is used since; what risks nothing is not held to them.
            return Ok(());
        }
        let nav = self.navs.last().map_or(0, |(_, nav)| *nav);
        let share = |nav: u64, bps: u32| u128::from(nav) * u128::from(bps) / 10_000;
        let (hour, day) = (nav.min(self.began(HOUR_MS)), nav.min(self.began(DAY_MS)));
        for (name, used, amount, share) in [
            ("tx", at_risk, config.per_tx_usdc, share(nav, config.per_tx_share_bps)),
            ("hour", self.within(HOUR_MS), config.per_hour_usdc, share(hour, config.per_hour_share_bps)),
            ("day", self.within(DAY_MS), config.per_day_usdc, share(day, config.per_day_share_bps)),
            ("life", self.life(), config.per_life_usdc, u128::MAX),
        ] {
            let cap = u128::from(amount.0).min(share);
            if used > cap {
                return Err(format!("{used} is above {cap} per {name}"));
            }
        }
        Ok(())
    }
}
