//! Rules of booking on a chain that can change its mind: what was booked is remembered as long as it can change, held
//! against what the chain says now, and amended when that is something else.

use super::acting::Recalled;
use super::venue::RpcVenue;
use super::watch::ChainEvent;
use golem_core::Tick;
use golem_core::door::{Amended, EffectKey};
use golem_core::intent::Refusal;
use golem_core::{Preview, Receipt};
use golem_venue::VenueError;
use std::collections::{BTreeMap, BTreeSet};

/// Settled effects that are remembered, in case the chain changes its mind, before those that it can no longer change are
/// forgotten.
const REMEMBERED: usize = 64;

/// What was booked lately.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Booked {
    effects: BTreeMap<EffectKey, (Preview, Receipt)>,
    /// Effects of which the chain may say something else than what was booked.
    in_doubt: BTreeSet<EffectKey>,
}

/// What the chain has been seen to do about an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EffectSeen {
    /// It has landed, here or elsewhere.
    Settled,
    /// It is no longer there.
    Reorged,
}

/// What follows for a booking from what the chain says now.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and it is taken apart at once")]
enum BookingVerdict {
    /// It stands.
    Stands,
    /// Not known: it is asked again.
    InDoubt,
    /// This holds instead; nothing, when it was taken back.
    Instead(Option<Receipt>),
}

/// The receipt of what the chain took back.
fn nothing(preview: &Preview) -> Receipt {
    Receipt::kept_back(preview.intent, Refusal::Cancelled)
}

impl Booked {
    /// Take in a turn of the journal, for some effects: what it booked, and what it amended of what was booked before.
    /// The journal is the truth about that, whatever the chain did while nobody looked: so all of it is in doubt.
    pub fn replay(
        &mut self,
        wanted: &BTreeSet<EffectKey>,
        tick: Tick,
        amended: &[Amended],
        effects: (&[Preview], &[Receipt]),
    ) {
        for Amended { key, now, .. } in amended {
            if let Some((preview, receipt)) = self.effects.get_mut(key) {
                *receipt = now.clone().unwrap_or_else(|| nothing(preview));
            }
        }
        for (n, (preview, receipt)) in effects.0.iter().zip(effects.1).enumerate() {
            let key = EffectKey::new(tick, n);
            if wanted.contains(&key) {
                self.effects.insert(key, (preview.clone(), receipt.clone()));
                self.in_doubt.insert(key);
            }
        }
    }

    /// Remember what is being booked. When there is much of it, what is no longer watched is forgotten.
    pub(super) fn remember(&mut self, key: EffectKey, preview: &Preview, receipt: &Receipt, venue: &mut RpcVenue) {
        if self.effects.len() >= REMEMBERED
            && let Some(Ok(watched)) = venue.hands().map(|hands| hands.sender().watched_keys())
        {
            if let Some(hands) = venue.hands() {
                // Only a saving: it is tried again with the next one.
                let _later = hands.sender().record().add_up(&watched);
            }
            self.effects.retain(|key, _| watched.contains(key));
        }
        self.effects.insert(key, (preview.clone(), receipt.clone()));
    }

    /// What the chain says differently now, each told once.
    pub(super) fn amended(&mut self, venue: &mut RpcVenue) -> Vec<Amended> {
        let Ok(events) = venue.poll() else { return Vec::new() };
        let mut moved = BTreeMap::new();
        for event in events {
            let (key, what) = match event {
                ChainEvent::Reorged { key, .. } => (key, EffectSeen::Reorged),
                ChainEvent::Settled { key, .. } => (key, EffectSeen::Settled),
                ChainEvent::Rewound { .. } => continue,
            };
            moved.insert(key, what);
        }
        let keys: BTreeSet<EffectKey> =
            std::mem::take(&mut self.in_doubt).into_iter().chain(moved.keys().copied()).collect();
        keys.into_iter().filter_map(|key| self.amend(key, moved.get(&key).copied(), venue)).collect()
    }

    fn amend(&mut self, key: EffectKey, moved: Option<EffectSeen>, venue: &mut RpcVenue) -> Option<Amended> {
        let (preview, was) = self.effects.get(&key)?.clone();
        let now = match verdict(&preview, &was, moved, venue.recall(key, &preview)) {
            BookingVerdict::Stands => return None,
            BookingVerdict::InDoubt => {
                self.in_doubt.insert(key);
                return None;
            }
            BookingVerdict::Instead(now) => now,
        };
        // What cannot be written down now is asked for again.
        if now.is_none() && venue.disown(key).is_err() {
            self.in_doubt.insert(key);
            return None;
        }
        let booked = now.clone().unwrap_or_else(|| nothing(&preview));
        self.effects.insert(key, (preview, booked));
        Some(Amended { key, was: Some(was), now })
    }
}

/// Whether a booking stands. Gas is valued at the price of the moment, so for an effect of which nothing was told its units
/// and its place on the chain say whether it is the same. Something is only taken back when the chain was seen to have
/// dropped it: a node that does not answer in time has said nothing.
fn verdict(
    preview: &Preview,
    was: &Receipt,
    moved: Option<EffectSeen>,
    recalled: Result<Recalled, VenueError>,
) -> BookingVerdict {
    let same = |now: &Receipt| {
        let gas = match moved {
            Some(_) => now.gas == was.gas,
            None => now.gas.used == was.gas.used && now.point == was.point,
        };
        gas && now.outcome == was.outcome
    };
    match recalled {
        Ok(Recalled::Settled(now)) if same(&now) => BookingVerdict::Stands,
        Ok(Recalled::Settled(now)) => BookingVerdict::Instead(Some(now)),
        Ok(Recalled::NeverSent | Recalled::Unknown) if *was == nothing(preview) => BookingVerdict::Stands,
        Ok(Recalled::NeverSent | Recalled::Unknown) if moved == Some(EffectSeen::Reorged) => {
            BookingVerdict::Instead(None)
        }
        Ok(Recalled::NeverSent | Recalled::Unknown) | Err(_) => BookingVerdict::InDoubt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::intent::{Asset, Outcome};
    use golem_core::venue::{Gas, Point};
    use golem_core::{Intent, Usdc};

    const BUY: Intent = Intent::Buy { pay: Usdc(5), min_out: Asset(1) };

    fn bought(got: u128, cost: u64, block: u64) -> Receipt {
        let gas = Gas { used: 100, charged: 100, cost: Usdc(cost) };
        let (outcome, point) = (Outcome::Bought { paid: Usdc(5), got: Asset(got) }, Some(Point { block, index: 0 }));
        Receipt { outcome, gas, point, ..Receipt::kept_back(BUY, Refusal::Withheld) }
    }

    #[test]
    fn a_booking_stands_until_the_chain_says_something_else() {
        let preview = Preview::refused(BUY, Refusal::NoMarket);
        let (was, gone) = (bought(7, 3, 10), nothing(&preview));
        let away = || Err(VenueError::Unreachable("away".into()));
        let settled = |receipt: &Receipt| Ok(Recalled::Settled(receipt.clone()));
        let (reorged, landed) = (Some(EffectSeen::Reorged), Some(EffectSeen::Settled));
        for (booked, moved, said, expected) in [
            (&was, None, settled(&was), BookingVerdict::Stands),
            // Gas costs something else at another price: that alone is no other effect.
            (&was, None, settled(&bought(7, 4, 10)), BookingVerdict::Stands),
            (&was, None, settled(&bought(7, 3, 11)), BookingVerdict::Instead(Some(bought(7, 3, 11)))),
            (&was, landed, settled(&bought(7, 4, 10)), BookingVerdict::Instead(Some(bought(7, 4, 10)))),
            (&was, reorged, settled(&bought(6, 3, 10)), BookingVerdict::Instead(Some(bought(6, 3, 10)))),
            (&was, reorged, Ok(Recalled::Unknown), BookingVerdict::Instead(None)),
            (&was, reorged, Ok(Recalled::NeverSent), BookingVerdict::Instead(None)),
            // Nobody has seen it go.
            (&was, None, Ok(Recalled::Unknown), BookingVerdict::InDoubt),
            (&was, landed, Ok(Recalled::NeverSent), BookingVerdict::InDoubt),
            (&was, reorged, away(), BookingVerdict::InDoubt),
            // What was taken back stays so until it lands.
            (&gone, reorged, Ok(Recalled::Unknown), BookingVerdict::Stands),
            (&gone, landed, settled(&was), BookingVerdict::Instead(Some(was.clone()))),
        ] {
            assert_eq!(verdict(&preview, booked, moved, said.clone()), expected, "{moved:?} {said:?}");
        }
    }

    #[test]
    fn the_journal_says_what_is_booked_last() {
        let preview = Preview::refused(BUY, Refusal::NoMarket);
        let key = |tick| EffectKey::new(Tick(tick), 0);
        let wanted = BTreeSet::from([key(3), key(4)]);
        let mut booked = Booked::default();
        let turn = |booked: &mut Booked, tick, amended: &[Amended]| {
            let effects = (&[preview.clone()][..], &[bought(7, 3, tick)][..]);
            booked.replay(&wanted, Tick(tick), amended, effects);
        };
        (2..=4).for_each(|tick| turn(&mut booked, tick, &[]));
        let (taken_back, other) = (Amended { key: key(3), was: None, now: None }, Some(bought(6, 3, 9)));
        turn(&mut booked, 5, &[taken_back, Amended { key: key(4), was: None, now: other.clone() }]);
        assert_eq!(booked.in_doubt, wanted, "what nobody asked for is not kept");
        assert_eq!(booked.effects[&key(3)].1, nothing(&preview));
        assert_eq!(Some(&booked.effects[&key(4)].1), other.as_ref());
    }
}
