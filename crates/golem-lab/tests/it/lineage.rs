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
