//! Policies read the playbook: parameters move within their ranges, risk is taken back, opening is closed, and the rules
//! that were in force are attached to what was decided.

use crate::kit;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, Intent, Tick, Usdc};
use golem_grimoire::playbook::{Fired, RuleId};
use golem_grimoire::{EntryId, WarningSeverity};
use golem_mind::goals::{GoalEnd, Pursuit};
use golem_mind::{Guidance, Learning, Permissions, PolicyConfig, Template};
use golem_mortality::BehavioralPhase;
use kit::{Life, Market, Venue};
use proptest::prelude::*;

fn rule(n: u8) -> RuleId {
    EntryId([n; 16]).into()
}

fn scaling(key: &str, factor: f64) -> Guidance {
    Guidance { scale: [(key.to_owned(), factor)].into(), rules: vec![rule(1)], ..Default::default() }
}

#[test]
fn a_parameter_is_scaled_within_its_range() {
    let config = PolicyConfig::default();
    for (key, factor, expected) in [
        ("lp_management.range_sigmas", 1.5, 9.0),
        ("lp_management.range_sigmas", 0.5, 3.0),
        ("lp_management.max_exposure", 2.0, 0.5),
        ("lp_management.max_liquidity", 2.0, 0.6),
        ("lp_management.max_liquidity", 1e9, 0.6),
        ("lp_management.band", 1e-9, 0.025),
        ("lp_management.hold_days", f64::NAN, 10.0),
        ("lp_management.hold_days", -3.0, 10.0),
    ] {
        let tuned = scaling(key, factor).tuned(&config);
        assert!((tuned.get(key).unwrap() - expected).abs() < 1e-12, "{key} x {factor}: {:?}", tuned.get(key));
        let mut back = tuned.clone();
        back.lp_management = config.lp_management.clone();
        assert_eq!(back, config, "{key}: nothing else moved");
    }
    for key in ["slippage_bps", "cooldown_ticks", "eth_dca.every_ticks", "no.such"] {
        assert_eq!(scaling(key, 2.0).tuned(&config), config, "{key} is not a rule's to move");
    }
    let mut trend = PolicyConfig { template: Template::TrendFollowing, ..Default::default() };
    (trend.trend_following.fast_hours, trend.trend_following.slow_hours) = (48, 60);
    assert_eq!(scaling("trend_following.fast_hours", 2.0).tuned(&trend), trend, "it would contradict the slow one");
}

#[test]
fn warnings_only_take_away() {
    let mut by = Guidance::default();
    assert!(by.is_idle());
    by.warn(EntryId([1; 16]), WarningSeverity::Low);
    by.warn(EntryId([2; 16]), WarningSeverity::Medium);
    by.warn(EntryId([2; 16]), WarningSeverity::Medium);
    assert!((by.risk - 0.4).abs() < 1e-12, "the same warning counts once");
    for n in 3..100 {
        by.warn(EntryId([n; 16]), WarningSeverity::Medium);
    }
    assert!((by.risk - 0.25).abs() < 1e-12 && !by.stand_aside, "a flood is not stronger than a grave one");
    by.warn(EntryId([200; 16]), WarningSeverity::High);
    assert!(by.stand_aside && by.entries().count() == 100);
    let mut little = Guidance { risk: 0.1, ..Default::default() };
    little.warn(EntryId([1; 16]), WarningSeverity::Medium);
    assert!((little.risk - 0.1).abs() < 1e-12, "and gives nothing back");
}

#[test]
fn what_the_playbook_says_is_taken_over() {
    let fired = Fired {
        ids: vec![rule(7)],
        scale: [("lp_management.band".to_owned(), 1.5)].into(),
        risk: 0.5,
        stand_aside: true,
    };
    let by = Guidance::from(&fired);
    assert_eq!((by.rules.clone(), by.scale.len(), by.stand_aside), (vec![rule(7)], 1, true));
    assert_eq!(by.entries().collect::<Vec<_>>(), [EntryId([7; 16])]);
    assert!((by.narrow(&Permissions::ALL).risk - 0.5).abs() < 1e-12);
}

/// Six days of a market under guidance: mean exposure of the last three, and what was wanted.
fn lived(by: &Guidance) -> (f64, Vec<Intent>, Life, Venue) {
    let (mut life, mut venue, mut market) = (Life::new(), Venue::new(Usdc::whole(100), 5.0), Market::new(5));
    let (config, mut wanted, mut exposure) = (PolicyConfig::default(), Vec::new(), 0.0);
    for t in 0..2_160 * 6 {
        let raw = market.tick();
        let price = raw.price.unwrap();
        life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
        venue.earn(price, raw.fee_yield.unwrap());
        let (holdings, value) = (venue.holdings, venue.value(price));
        let decision = life.mind.decide_by(life.now, (&holdings, &value), &Permissions::ALL, &config, by);
        assert_eq!(decision.rules, by.rules, "credit can flow back");
        for intent in &decision.intents {
            let (preview, receipt) = venue.act(intent, price);
            life.mind.verify(&preview, &receipt, Learning::FULL, &mut Vec::new());
        }
        wanted.extend(decision.intents);
        exposure += if t < 2_160 * 3 { 0.0 } else { venue.exposure(price) / (2_160.0 * 3.0) };
    }
    (exposure, wanted, life, venue)
}

#[test]
fn risk_and_standing_aside_reach_the_trades() {
    let (free, ..) = lived(&Guidance::default());
    let (half, ..) = lived(&Guidance { risk: 0.5, rules: vec![rule(1)], ..Default::default() });
    let (aside, wanted, ..) = lived(&Guidance { stand_aside: true, ..Default::default() });
    assert!(free > 0.1 && half > 0.02 && half < 0.75 * free, "{free} {half}");
    assert!(aside.abs() < 1e-12 && wanted.is_empty(), "{aside} {wanted:?}");
}

#[test]
fn a_goal_reached_under_rules_is_told_apart() {
    let goals = |by: &Guidance| {
        let (_, _, mut life, mut venue) = lived(&Guidance::default());
        let of =
            Pursuit { template: Template::LpManagement, phase: BehavioralPhase::Stable, may_open: true, near: false };
        let mut seen = Snapshot::default();
        seen.set_number(Field::GolemBalanceUsdc, 100.0).unwrap();
        life.mind.pursue(Tick(10), &seen, of, life.now, &mut Vec::new());
        // A sale is wanted as soon as there is far too much of the asset.
        venue.holdings.asset = golem_core::intent::Asset::of_whole(1.0);
        let (holdings, value) = (venue.holdings, venue.value(2_000.0));
        let later = life.now.after(Elapsed::nominal(100));
        let decision = life.mind.decide_by(later, (&holdings, &value), &Permissions::ALL, &PolicyConfig::default(), by);
        assert!(!decision.intents.is_empty());
        seen.set_number(Field::GolemBalanceUsdc, 110.0).unwrap();
        for tick in 11..=20 {
            life.mind.pursue(Tick(tick), &seen, of, later, &mut Vec::new());
        }
        let record = life.mind.goals().record();
        (record.count(GoalEnd::Completed), record.completed_with_rules())
    };
    assert_eq!(goals(&Guidance::default()), (1, 0));
    assert_eq!(goals(&Guidance { rules: vec![rule(1)], ..Default::default() }), (1, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() })]
    /// Whatever rules say, the settings stay sound and nothing is allowed that was not.
    #[test]
    fn guidance_never_loosens(
        template in prop::sample::select(&Template::ALL[..]),
        scales in prop::collection::vec((any::<prop::sample::Index>(), any::<f64>()), 0..12),
        (risk, may_risk) in (any::<f64>(), 0.0f64..1.0), stand_aside: bool, may_open: bool,
    ) {
        let config = PolicyConfig { template, ..Default::default() };
        let scale = scales.into_iter().map(|(i, x)| (i.get(template.parameters()).key.to_owned(), x)).collect();
        let by = Guidance { scale, risk, stand_aside, rules: Vec::new() };
        prop_assert_eq!(by.tuned(&config).problems(), []);
        let may = Permissions { risk: may_risk, may_open, ..Permissions::ALL };
        let narrow = by.narrow(&may);
        prop_assert!((0.0..=may.risk).contains(&narrow.risk) && narrow.may_open <= may.may_open);
        prop_assert!(!(stand_aside && narrow.may_open));
    }
}
