//! The contracts and the arithmetic without contracts do the same, to the unit, whatever happens.

use super::common::{ACCOUNT_RANGE, account, chain, genesis};
use super::script::{Op, act, sample, script};
use golem_core::intent::Refusal;
use golem_core::{Action, Asset, Hash, HomeSum, Homeward, Usdc};
use golem_venue::{Account, PaperVenue, Venue};
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

/// Where an owner has its money.
fn way() -> Homeward {
    let name: golem_core::Name = "ada".parse().unwrap();
    let identity = golem_core::birth::Identity { name: &name, public_key: Hash([1; 32]), commitment: Hash([2; 32]) };
    Homeward::on_our_chain(&identity.first_ancestor(true, golem_core::Timestamp(0), Usdc(1), Hash([3; 32])))
}

#[test]
fn what_goes_home_goes_with_contracts_as_on_paper() {
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = chain(usdc_is_token0) else { return };
        let mut paper = PaperVenue::genesis(&genesis(usdc_is_token0)).unwrap();
        let (who, home) = (account(1), Account::from(way()));
        let buy = Action::Buy { pay: Usdc::whole(400), min_out: Asset(1) };
        let all: [&mut dyn Venue; 2] = [&mut chain, &mut paper];
        let ended = all.map(|venue| {
            venue.fund_to(who, Usdc::whole(1_000)).unwrap();
            venue.execute(who, &buy).unwrap();
            let held = venue.book(who).unwrap();
            let mut told = Vec::new();
            for sum in [
                HomeSum::Usdc(Usdc::whole(601)),
                HomeSum::Usdc(Usdc(0)),
                HomeSum::Coin(Asset(1)),
                HomeSum::Usdc(Usdc::whole(1)),
                HomeSum::Asset(held.asset),
                HomeSum::Asset(Asset(1)),
                HomeSum::Usdc(held.usdc.minus(Usdc::whole(1))),
            ] {
                let mut done = venue.send_home(who, way(), sum).unwrap();
                if done.gas_used > 0 {
                    // The table has the first transfer to somebody who never had the token. Later ones, and the one that gives all away,
                    // are cheaper: at most a twentieth too little is charged, and less than twice what was used.
                    let (charged, used) = (done.gas_charged, done.gas_used);
                    assert!(used * 20 <= charged * 21 && charged < used * 2, "{sum:?}: charged {charged}, used {used}");
                }
                done.gas_used = 0;
                told.push((done, venue.view().unwrap().point));
            }
            let [own, there] = [who, home].map(|account| venue.book(account).unwrap());
            assert_eq!((own.usdc, own.asset), (Usdc::ZERO, Asset::ZERO));
            assert_eq!((there.usdc, there.asset), (held.usdc, held.asset), "nothing is lost on the way");
            assert_eq!(
                venue.execute(who, &Action::Home { sum: HomeSum::Usdc(Usdc(1)) }).unwrap().refused,
                Some(Refusal::Denied)
            );
            (told, own, there)
        });
        assert_eq!(ended[0], ended[1]);
        // The past with a transfer in it is made again as it was.
        let head = paper.view().unwrap().point;
        assert_eq!(paper.fork(head).unwrap().book(home).unwrap(), paper.book(home).unwrap());
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
