//! What one golem has learnt helps another that is born into the same world, and its opposite is not believed.

use golem_grimoire::experts::DOMAINS;
use golem_lab::heirs::{export_after, heir_in, turned_round};
use golem_mortality::Domain;

#[test]
fn an_export_helps_a_newborn_from_its_first_days_and_its_opposite_is_not_believed() {
    let (world, gas) = ("gas-hours", DOMAINS.iter().position(|d| *d == Domain::GasCondition).unwrap());
    let (mut told_gain, mut turned_gain, mut believed, mut worth) = (0.0, 0.0, 0, Vec::new());
    for law in 1..=2 {
        let export = export_after(world, law, law, 25.0).unwrap();
        assert!(!export.is_empty(), "nothing was learnt in 25 days");
        let heir = |told: &[_]| heir_in(world, law, 1_000 + law, 8.0, told).unwrap();
        let (nothing, told, turned) = (heir(&[]), heir(&export), heir(&turned_round(&export)));
        told_gain += told.skill[gas] - nothing.skill[gas];
        turned_gain += turned.skill[gas] - nothing.skill[gas];
        believed += turned.active;
        worth.push(turned.worth / nothing.worth - 1.0);
    }
    // Strangers' words may only lessen a risk, and on one path that is luck either way.
    assert!((worth.iter().sum::<f64>() / worth.len() as f64).abs() < 0.003, "{worth:?}");
    assert!(told_gain > 0.002, "{told_gain}");
    assert!(turned_gain > -0.01, "it costs a trifle: {turned_gain}");
    assert_eq!(believed, 0, "nothing of the opposite is active after eight days");
}
