//! What must go where no reference bears the pool's price out: in tenths, however late it is, and all of it in the end.

use crate::kit;
use golem_core::intent::Asset;
use golem_core::reference::{BLIND_PARTS, REFERENCE_WINDOW_S};
use golem_core::{Elapsed, Intent, RawObservation, ReferenceKind, ReferencePrice, Usdc, VirtualTime};
use golem_mind::{Learning, Outlook, Permissions, Policy, PolicyConfig};
use kit::{Life, Venue};

const UNWIND: Permissions = Permissions { unwind: true, ..Permissions::REDUCE };
const PRICE: f64 = 2_000.0;

/// A policy that gives everything up, turn by turn, and what it was seen to hold at most since there was no reference.
struct GivingUp {
    policy: Policy,
    config: PolicyConfig,
    venue: Venue,
    turn: u64,
    most: (u128, u128),
}

impl GivingUp {
    /// With so many micro-USDC in the asset, and so many in a position.
    fn with(asset: u64, liquidity: u64, (turns, pieces): (u32, u32)) -> Self {
        let mut venue = Venue::new(Usdc::whole(10), 5.0);
        venue.holdings.asset = Asset::of_whole(asset as f64 / 1e6 / PRICE);
        if liquidity > 0 {
            venue = venue.with_position(liquidity, PRICE, 0.2);
        }
        let config = PolicyConfig { unwind_turns: turns, unwind_pieces: pieces, ..PolicyConfig::default() };
        Self { policy: Policy::default(), config, venue, turn: 0, most: (0, 0) }
    }
    /// What is wanted in the next turn.
    fn wants(&mut self, blind: bool) -> Vec<Intent> {
        let (holdings, value) = (self.venue.holdings, self.venue.value(PRICE));
        let (asset, liquidity) = (holdings.asset.0, holdings.liquidity);
        self.most = if blind { (self.most.0.max(asset), self.most.1.max(liquidity)) } else { (0, 0) };
        let seen = Outlook { price: Some(PRICE), blind, ..Outlook::default() };
        let now = VirtualTime(0).after(Elapsed::nominal(self.turn));
        self.turn += 1;
        self.policy.decide(&seen, &holdings, &value, &UNWIND, &self.config, now)
    }
    /// What is wanted in the next turn without a reference: a tenth of the most that was held, or what is left of it. Of
    /// the liquidity a basis point of it less, since that is what can be asked for.
    fn wants_tenths(&mut self) -> Vec<Intent> {
        let wants = self.wants(true);
        let (held, (asset, liquidity)) = (self.venue.holdings, self.most);
        let names: Vec<&str> = wants.iter().map(Intent::name).collect();
        assert!(matches!(names[..], [] | ["remove"] | ["sell"] | ["remove", "sell"]), "turn {}: {names:?}", self.turn);
        for intent in &wants {
            match *intent {
                Intent::Sell { give, .. } => {
                    let tenth = asset.div_ceil(BLIND_PARTS).min(held.asset.0);
                    assert_eq!(give.0, tenth, "turn {}: of {asset}", self.turn);
                }
                Intent::Remove { share_bps, .. } => {
                    let goes = held.liquidity * u128::from(share_bps) / 10_000;
                    let tenth = liquidity.div_ceil(BLIND_PARTS).min(held.liquidity);
                    let little = held.liquidity / 10_000;
                    assert!(goes <= tenth && goes + little + 1 >= tenth, "turn {}: {goes} of {liquidity}", self.turn);
                }
                _ => unreachable!("{intent:?}"),
            }
        }
        wants
    }
    fn does(&mut self, wants: &[Intent]) {
        for intent in wants {
            let (_, receipt) = self.venue.act(intent, PRICE);
            assert!(receipt.was_done(), "{intent:?}: {:?}", receipt.outcome);
        }
    }
    /// What would not bring a micro-USDC is nothing.
    fn has_nothing(&self) -> bool {
        self.venue.holdings.liquidity == 0 && self.venue.holdings.asset.as_f64() * PRICE * 1e6 < 2.0
    }
}

#[test]
fn without_a_reference_it_goes_in_tenths_until_nothing_is_left() {
    for (asset, liquidity) in [(18_000_000, 0), (0, 25_000_000), (18_000_000, 25_000_000), (60, 140)] {
        // In its own time, at once as the dying do, and in one piece as an owner may have it.
        for (pace, within) in [((50, 10), 50), ((50, 1), 50), ((2, 1), 25), ((500, 500), 500)] {
            let mut golem = GivingUp::with(asset, liquidity, pace);
            let (mut removed, mut sold, mut beside) = (0, 0, 0);
            while !golem.has_nothing() {
                let wants = golem.wants_tenths();
                let of = |name: &str| u32::from(wants.iter().any(|intent| intent.name() == name));
                (removed, sold) = (removed + of("remove"), sold + of("sell"));
                beside += of("remove") * of("sell");
                golem.does(&wants);
                assert!(golem.turn <= within, "{asset} and {liquidity} by {pace:?}: {:?}", golem.venue.holdings);
            }
            assert!(liquidity == 0 || removed >= 10, "{removed} parts of {liquidity} by {pace:?}");
            assert!(asset < 1_000 || sold >= 10, "{sold} parts of {asset} by {pace:?}");
            // The liquidity does not wait for the asset, nor the asset for the liquidity.
            assert!(asset < 1_000 || beside == removed, "{beside} of {removed} beside the asset's");
        }
    }
}

#[test]
fn late_as_it_is_no_piece_is_larger() {
    // Nothing is taken until long after its time is over; then a part goes in every turn, and no larger one.
    let mut golem = GivingUp::with(18_000_000, 25_000_000, (50, 10));
    let offered = (0..60).filter(|_| !golem.wants_tenths().is_empty()).count();
    assert_eq!(offered, 25 + 10, "every second turn, and every one once the time is over");
    let late = golem.turn;
    while !golem.has_nothing() {
        let wants = golem.wants_tenths();
        assert!(!wants.is_empty(), "turn {}", golem.turn);
        golem.does(&wants);
    }
    assert!((15..=20).contains(&(golem.turn - late)), "{} turns", golem.turn - late);
}

#[test]
fn a_reference_that_was_back_begins_the_tenths_anew() {
    let mut golem = GivingUp::with(18_000_000, 25_000_000, (2, 1));
    let first = golem.wants_tenths();
    assert_eq!(first.len(), 2, "{first:?}");
    // With a reference all of it goes in its own pieces, here the one that is left.
    let all = golem.wants(false);
    assert!(
        matches!(all[..], [Intent::Remove { share_bps: 10_000, .. }, Intent::Sell { give, .. }]
        if give == golem.venue.holdings.asset),
        "{all:?}"
    );
    // Half of it went meanwhile. What goes next is a tenth of what there is now, not of what there was.
    let left = golem.venue.holdings.asset.0 / 2;
    golem.venue.holdings.asset = Asset(left);
    golem.venue.act(&Intent::Remove { share_bps: 5_000, tolerance_bps: 50 }, PRICE);
    golem.venue.holdings.asset = Asset(left);
    let again = golem.wants_tenths();
    let [Intent::Remove { share_bps, .. }, Intent::Sell { give, .. }] = again[..] else { panic!("{again:?}") };
    assert_eq!((share_bps, give), (1_000, Asset(left.div_ceil(BLIND_PARTS))), "{again:?}");
}

/// The mind knows by itself that there is none: it sees its books and no reference beside them.
#[test]
fn a_mind_that_sees_no_reference_gives_up_a_tenth() {
    let (holdings, value) = kit::holding(50.0, 100.0, 0.0);
    let config = PolicyConfig { unwind_turns: 2, unwind_pieces: 1, ..PolicyConfig::default() };
    let reference = ReferencePrice { kind: ReferenceKind::PoolMean, tick: 0, spot: 0, window_s: REFERENCE_WINDOW_S };
    let mut venue = Venue::new(Usdc::whole(50), 5.0);
    venue.holdings = holdings;
    for (seen, parts) in [(None, BLIND_PARTS), (Some(reference), 1)] {
        let mut life = Life::new();
        let raw = RawObservation {
            price: Some(PRICE),
            book: Some(venue.book(PRICE)),
            reference: seen,
            ..RawObservation::default()
        };
        let mut wants = Vec::new();
        for _ in 0..2 {
            life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
            wants = life.mind.decide(life.now, &holdings, &value, &UNWIND, &config);
        }
        let [Intent::Sell { give, .. }] = wants[..] else { panic!("{seen:?}: {wants:?}") };
        assert_eq!(give.0, holdings.asset.0.div_ceil(parts), "{seen:?}");
    }
}
