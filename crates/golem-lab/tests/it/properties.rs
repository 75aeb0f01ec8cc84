//! Whole lives under random settings, worlds and orders: money is conserved, unit intervals hold, nothing panics, and
//! nothing happens after death.

use golem_core::door::World;
use golem_core::fact::FactBody;
use golem_core::{RawObservation, Timestamp, Usdc, VirtualTime};
use golem_lab::Subject;
use golem_life::{Ask, Settings};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A world of arbitrary numbers, absurd ones included.
struct Arbitrary {
    seen: Vec<RawObservation>,
    at: usize,
}

impl World for Arbitrary {
    fn observe(&mut self, _age: VirtualTime) -> Option<RawObservation> {
        let seen = self.seen.get(self.at).copied();
        self.at += 1;
        seen
    }
    fn epoch(&self) -> Timestamp {
        Timestamp(0)
    }
    fn save(&self) -> Vec<u8> {
        (self.at as u64).to_le_bytes().to_vec()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.at = u64::from_le_bytes(saved.try_into().map_err(|_| "eight bytes")?) as usize;
        Ok(())
    }
}

fn number(usual: std::ops::Range<f64>) -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        8 => usual.prop_map(Some),
        1 => any::<u64>().prop_map(|bits| Some(f64::from_bits(bits))),
        1 => Just(None),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(0.0), Just(1e12), Just(1e-12)].prop_map(Some),
    ]
}

fn observation() -> impl Strategy<Value = RawObservation> {
    (number(500.0..5_000.0), number(0.01..2.0), number(0.0001..0.01), number(1e4..1e8), 0usize..4).prop_map(
        |(price, gas_gwei, fee_yield, volume, p)| RawObservation {
            price,
            gas_gwei,
            fee_yield,
            volume,
            protocol: golem_core::ProtocolState::ALL.get(p).copied(),
            ..RawObservation::default()
        },
    )
}

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        6 => (0..100_000_000u64).prop_map(|m| Ask::Feed { amount: Usdc(m) }),
        2 => Just(Ask::Pause),
        3 => Just(Ask::Resume),
        1 => Just(Ask::Kill { reason: "property".into() }),
        1 => Just(Ask::KillSwitch { trigger: "property".into() }),
        2 => Just(Ask::Tell { text: "hm".into() }),
        2 => Just(Ask::Halt { reason: "property".into() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("BARDO_LONG").is_some() { 5_000 } else { 48 }))]
    #[test]
    fn no_world_and_no_owner_breaks_a_life(
        seen in prop::collection::vec(observation(), 60..400),
        asks in prop::collection::vec((0usize..400, ask()), 0..6),
        seed: u64, budget in 1_000_000..200_000_000u64, interval in prop_oneof![Just(0u64), Just(15), Just(40), Just(3_600)],
        immortal: bool, self_hosted: bool, learning: bool, diagnostics: bool, bare: bool,
    ) {
        let mut settings = Settings::default();
        settings.heartbeat.tick_interval_s = interval;
        settings.mortality.immortal = immortal;
        settings.mortality.economic.enabled = !self_hosted;
        settings.mind.learning = learning;
        settings.diagnostics.enabled = diagnostics;
        settings.policy.cooldown_ticks = 1;
        let turns = seen.len();
        let world = Arbitrary { seen, at: 0 };
        let mut subject = match bare {
            true => Subject::bare(seed, Usdc(budget), &settings, world),
            // A market that cannot begin is told, and there is no life to break.
            false => match Subject::new(seed, Usdc(budget), &settings, world) {
                Ok(subject) => subject,
                Err(_) => return Ok(()),
            },
        };
        let mut dead = false;
        for turn in 0..turns {
            for (_, ask) in asks.iter().filter(|(at, _)| *at == turn) {
                subject.ask(ask.clone());
            }
            let lived = subject.turn();
            prop_assert!(!(dead && lived), "a turn after death");
            if !lived { break; }
            prop_assert!(subject.life().ledger().balances(), "turn {}", turn);
            let s = subject.status();
            for x in [s.vitality.economic, s.vitality.epistemic, s.vitality.composite, s.survival_24h, s.exposure] {
                prop_assert!((0.0..=1.0).contains(&x), "{x} at turn {turn}");
            }
            prop_assert!(s.domains.values().all(|f| (0.0..=1.0).contains(f)));
            let deaths = subject.facts.iter().filter(|f| f.body.name() == "mortality.dead").count();
            prop_assert!(deaths == usize::from(subject.is_dead()));
            let in_order = subject.facts.windows(2).all(|w| w[1].seq.0 == w[0].seq.0 + 1);
            prop_assert!(in_order, "facts are numbered without gaps");
            dead = subject.is_dead();
        }
    }
}

#[test]
fn a_room_that_is_off_moves_nothing() {
    // With diagnostics off the decisions, the money and the clocks are the same; only the digest has one room less.
    let world = || golem_lab::world::Synthetic::new(Default::default(), 5).unwrap();
    let mut off = Settings::default();
    off.diagnostics.enabled = false;
    let (mut a, mut b) = (
        Subject::new(5, Usdc::whole(50), &Settings::default(), world()).unwrap(),
        Subject::new(5, Usdc::whole(50), &off, world()).unwrap(),
    );
    for _ in 0..6_000 {
        assert!(a.turn() && b.turn());
    }
    let (a, b) = (a.status(), b.status());
    assert_eq!((a.balance, a.trades, a.spent, a.domains), (b.balance, b.trades, b.spent, b.domains));
    assert!((a.vitality.composite - b.vitality.composite).abs() < 1e-15);
}

#[test]
fn every_field_that_this_life_can_fill_is_observed() {
    use golem_core::observed::{Expression, Field, Verdict};
    let mut absent: BTreeSet<&str> = Field::ALL.iter().map(|f| f.name()).collect();
    let lived = |world: &str, absent: &mut BTreeSet<&str>| {
        let world = golem_lab::world::place(world, 11).unwrap().world;
        // One that has enough to trade with, in a world whose gas has spiked by then.
        let mut subject = Subject::new(11, Usdc::whole(10_000), &Settings::default(), world).unwrap();
        subject.turns(400);
        // Nobody may trade in one turn; in a hundred somebody does.
        for _ in 0..100 {
            subject.turn();
            let seen = subject.life().observed();
            // The room that fills it does not check: every value must be of its field's kind.
            assert_eq!(seen.misfit(), None);
            absent.retain(|name| Field::ALL.iter().any(|f| f.name() == *name && seen.get(*f).is_none()));
        }
        subject
    };
    let subject = lived("default", &mut absent);
    // Another pair is seen in a world that has one, and nothing else needs that world.
    assert_eq!(absent, BTreeSet::from(["market.lead_return"]));
    lived("contagion", &mut absent);
    assert!(absent.is_empty(), "{absent:?}");
    let seen = subject.life().observed();
    let holds = |source: &str| Expression::compile(source).unwrap().evaluate(&seen);
    assert_eq!(holds("golem.tick == 500 && vitality.composite > 0.5"), Verdict::Holds);
    assert_eq!(holds("vitality.phase in [\"declining\", \"terminal\"] || golem.balance_usdc < 10"), Verdict::DoesNot);
}

#[test]
fn every_fact_is_written_under_its_own_name() {
    let world = golem_lab::world::Synthetic::new(Default::default(), 11).unwrap();
    let mut subject = Subject::new(11, Usdc::whole(4), &Settings::default(), world).unwrap();
    subject.ask(Ask::Feed { amount: Usdc(1) });
    let mut names = BTreeSet::new();
    while subject.turn() {
        for fact in &subject.facts {
            if names.insert(fact.body.name()) {
                let json = serde_json::to_value(fact).unwrap();
                assert_eq!(json["type"], fact.body.name(), "{json}");
            }
        }
    }
    for name in [
        "life.born",
        "economy.fed",
        "owner.order",
        "mortality.vigil",
        "mortality.dead",
        "mortality.channel_report",
        "mode_change",
    ] {
        assert!(names.contains(name), "{name} is missing: {names:?}");
    }
}
