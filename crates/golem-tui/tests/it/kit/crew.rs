//! Others beside the two golems that were recorded: made of them, of every kind.

use super::TestHome;
use golem_core::Usdc;
use golem_daimon::affect::{MoodWord, Pad};
use golem_daimon::suffering::Band;
use golem_life::LifeStanding;
use golem_mortality::BehavioralPhase;
use golem_tui::LifeCard;
use std::sync::Arc;

impl TestHome {
    /// With so many others, of every kind: at rest and running, dreaming, dying, dead, newborn, damaged.
    pub fn crowded(count: u16) -> Self {
        let mut home = Self::new();
        home.crew = (0..count).map(|n| home.somebody(n)).collect();
        home
    }
    fn somebody(&self, n: u16) -> LifeCard {
        let (kind, of) = (n % 11, f64::from(n));
        let mut s = if kind == 5 { self.dead.status.clone() } else { self.living.status.clone() };
        s.id.0[..2].copy_from_slice(&n.to_be_bytes());
        s.name = format!("crew-{n:03}").parse().expect("a name");
        s.vitality.composite = (of * 0.37).fract();
        s.phase = BehavioralPhase::of(s.vitality.composite);
        s.balance = Usdc(1_000_000 * u64::from(n * 37 % 113) + u64::from(n));
        s.projected_life_h = (n % 5 != 4).then_some((of * 61.0) % 5_000.0);
        s.survival_24h = 1.0 - (of * 0.013).fract() / 4.0;
        s.load = Some((of * 0.29).fract());
        s.band = s.load.map(Band::of);
        if let Some(affect) = &mut s.affect {
            affect.mood_pad = Pad::new((of * 0.71).fract() * 2.0 - 1.0, 0.3, (of * 0.43).fract() - 0.5);
            affect.mood = MoodWord::of(affect.mood_pad);
        }
        s.standing = match kind {
            3 => LifeStanding::Dying,
            5 => LifeStanding::Dead,
            7 => LifeStanding::Paused,
            _ => LifeStanding::Alive,
        };
        let (id, name) = (s.id, s.name.to_string());
        let died_of = s.death.as_ref().map(|_| "chance".to_owned());
        let last_trade = (kind % 2 == 1).then(|| format!("bought 0.0{n} ETH for 12.00 USDC at 3,100.00"));
        let problem = (kind == 9).then(|| "golem.db: damaged: not a database".to_owned());
        let status = (kind != 8 && kind != 9).then(|| Arc::new(s));
        LifeCard { id, name, status, died_of, last_trade, running: kind % 3 == 0, problem, read: true }
    }
}
