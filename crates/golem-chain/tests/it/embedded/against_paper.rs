//! The contracts and the arithmetic without contracts do the same, to the unit, whatever happens.

use super::common::{ACCOUNT_RANGE, account, chain, genesis};
use super::script::{Op, act, sample, script};
use golem_venue::{PaperVenue, Venue};
use proptest::prelude::*;

fn compare(usdc_is_token0: bool, ops: &[Op]) -> Result<(), TestCaseError> {
    let Some(mut chain) = chain(usdc_is_token0) else { return Ok(()) };
    let mut paper = PaperVenue::genesis(&genesis(usdc_is_token0)).unwrap();
    for (step, op) in ops.iter().enumerate() {
        let (ours, theirs) = (act(&mut chain, op), act(&mut paper, op));
        prop_assert_eq!(ours, theirs, "step {}: {:?}", step, op);
        let (ours, theirs) = (chain.view().unwrap(), paper.view().unwrap());
        prop_assert_eq!(ours.pool, theirs.pool, "step {}: {:?}", step, op);
        prop_assert_eq!(ours.fee_growth, theirs.fee_growth, "step {}: {:?}", step, op);
        prop_assert_eq!(ours.point, theirs.point, "step {}: {:?}", step, op);
        for who in ACCOUNT_RANGE {
            let (ours, theirs) = (chain.book(account(who)).unwrap(), paper.book(account(who)).unwrap());
            prop_assert_eq!(ours, theirs, "step {}: {:?}, account {}", step, op, who);
        }
    }
    let (ours, theirs) = (chain.whole_pool().unwrap(), paper.pool().clone());
    prop_assert_eq!(ours.ticks().collect::<Vec<_>>(), theirs.ticks().collect::<Vec<_>>());
    prop_assert_eq!(ours.held(), theirs.held());
    Ok(())
}

#[test]
fn a_long_script_ends_the_same_with_contracts_and_on_paper() {
    for (seed, usdc_is_token0) in [(41, true), (42, false)] {
        compare(usdc_is_token0, &sample(seed, 900)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn contracts_and_paper_agree_when_usdc_is_token0(ops in script(20..60)) {
        compare(true, &ops)?;
    }

    #[test]
    fn contracts_and_paper_agree_when_usdc_is_token1(ops in script(20..60)) {
        compare(false, &ops)?;
    }
}
