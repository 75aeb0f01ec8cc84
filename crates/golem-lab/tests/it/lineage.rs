//! A short line in memory: every life ends, every heir inherits, and the same seed is the same line.

use golem_core::Usdc;
use golem_lab::lineage::{LineagePlan, live_lineage};
use golem_life::Settings;

fn plan(generations: u32) -> LineagePlan {
    LineagePlan {
        world: "default".to_owned(),
        seed: 11,
        budget: Usdc::whole(4),
        generations,
        settings: Settings::default(),
        most_days: 30,
    }
}

#[test]
fn a_line_of_poor_golems_hands_on_what_it_knows() {
    let told = std::cell::RefCell::new(0);
    let report = live_lineage(&plan(3), &|_| *told.borrow_mut() += 1).unwrap();
    assert_eq!((report.generations.len(), told.into_inner()), (3, 3));
    let [first, heirs @ ..] = &report.generations[..] else { panic!("nobody lived") };
    assert!(first.verdict.is_none() && first.inherited == 0 && first.novel > 0, "{first:?}");
    for (n, heir) in heirs.iter().enumerate() {
        assert_eq!(heir.generation as usize, n + 1);
        assert!(heir.inherited > 0 && heir.verdict.is_some() && heir.ratchet.is_some(), "{heir:?}");
        assert!(heir.cause.is_some() && heir.days > 1.0, "a clock ended it: {heir:?}");
    }
    assert!(report.lineage_score.is_some() && report.negentropy_slope.is_some());
    let paired = heirs.iter().filter(|h| h.first_days_loss.is_some()).count();
    assert_eq!(report.heirs_with_less_loss.map(|(_, of)| of), (paired > 0).then_some(paired));
    assert!(paired > 0, "some heir lived ten days: {heirs:?}");
    assert!(first.to_parent_skill.is_none(), "nobody came before");
    for heir in heirs {
        let time = heir.to_parent_skill.expect("its parent had some skill");
        assert!(time.reached || time.days >= heir.days.min(30.0) - 0.5, "watched to its end: {heir:?}");
        assert!(time.days <= 30.0 && heir.newborn_to_parent_skill.is_some(), "{heir:?}");
    }
    assert_eq!(live_lineage(&plan(3), &|_| {}).unwrap(), report, "the same seed is the same line");
}

/// The newborn beside an heir has the heir's dice and a market like the heir's: where nobody remembers anything there is nothing
/// to inherit, and the two forecast the same to the bit.
#[test]
fn an_heir_of_nothing_is_the_newborn_beside_it() {
    let mut settings = Settings::default();
    settings.grimoire.enabled = false;
    let plan = LineagePlan { settings, budget: Usdc::whole(1_000), most_days: 12, ..plan(3) };
    let report = live_lineage(&plan, &|_| {}).unwrap();
    let heirs = &report.generations[1..];
    assert_eq!(heirs.len(), 2);
    for heir in heirs {
        let losses = [heir.first_days_loss, heir.newborn_loss].map(|loss| loss.expect("ten days were lived").to_bits());
        assert_eq!(losses[0], losses[1], "{heir:?}");
    }
    assert_eq!(report.heirs_with_less_loss, Some((0, 2)), "nobody loses less than itself");
}
