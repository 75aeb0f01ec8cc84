//! A market that lends, on paper and by the real contracts: whatever is done to it, and however much time goes by, they agree to the unit.

use super::common::{chain, may_skip, tools};
use golem_chain::contracts::{AaveContracts, ContractsError, fetch_or_load_aave};
use golem_chain::embedded::{BankDeed, EmbeddedChain};
use golem_core::Usdc;
use golem_venue::lending::{LendingGate, LendingReserve, LendingTerms, LentPart, RateCurve};
use golem_venue::{Header, Venue};
use std::sync::OnceLock;

/// Aave's contracts, fetched once for all tests.
pub fn aave() -> Option<&'static AaveContracts> {
    static FETCHED: OnceLock<Option<AaveContracts>> = OnceLock::new();
    FETCHED
        .get_or_init(|| match fetch_or_load_aave(&tools().join("contracts"), |_| ()) {
            Ok(contracts) => Some(contracts),
            Err(e @ (ContractsError::NpmMissing | ContractsError::Offline(_))) => {
                may_skip(&e.to_string());
                None
            }
            Err(e) => panic!("{e}"),
        })
        .as_ref()
}

fn terms(cap: u64) -> LendingTerms {
    LendingTerms { curve: RateCurve::of_bps(9_000, 0, 400, 6_000), reserve_bps: 1_000, supply_cap: cap }
}

/// The market on paper, and what its keeper has in it and owes.
struct OnPaper {
    reserve: LendingReserve,
    lent: u128,
    owed: u128,
}

impl OnPaper {
    fn does(&mut self, deed: BankDeed, now: u64) -> bool {
        match deed {
            BankDeed::Supply(sum) => self.reserve.supply(sum, now).map(|m| self.lent += m.scaled).is_ok(),
            BankDeed::Withdraw(part) => {
                self.reserve.withdraw(self.lent, part, now).map(|m| self.lent -= m.scaled).is_ok()
            }
            BankDeed::Borrow(sum) => self.reserve.borrow(sum, now).map(|m| self.owed += m.scaled).is_ok(),
            BankDeed::Repay(part) => self.reserve.repay(self.owed, part, now).map(|m| self.owed -= m.scaled).is_ok(),
            BankDeed::Gate(gate) => {
                self.reserve.gate = gate;
                true
            }
        }
    }
}

fn step(chain: &mut EmbeddedChain, seconds: u64) -> u64 {
    let open = chain.open_block();
    let timestamp = open.timestamp + seconds;
    chain.begin_block(Header { timestamp, base_fee: u128::from(open.base_fee) }).expect("a block");
    timestamp
}

/// A deed of any size, from a unit to a billion dollars, sensible or not.
fn any_deed(dice: &mut Draws) -> BankDeed {
    let sum = |dice: &mut Draws| {
        let digits = 1 + u32::try_from(dice.below(15)).unwrap_or(0);
        Usdc(dice.below(10_u64.pow(digits)))
    };
    let part = |dice: &mut Draws| if dice.below(4) == 0 { LentPart::All } else { LentPart::Some(sum(dice)) };
    match dice.below(20) {
        0..=6 => BankDeed::Supply(sum(dice)),
        7..=10 => BankDeed::Withdraw(part(dice)),
        11..=15 => BankDeed::Borrow(sum(dice)),
        16..=18 => BankDeed::Repay(part(dice)),
        _ => BankDeed::Gate(
            [LendingGate::Open, LendingGate::Open, LendingGate::Frozen, LendingGate::Paused][dice.below(4) as usize],
        ),
    }
}

/// A series of draws that is the same every time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        // Knuth's multiplier: nothing here depends on how good it is.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }
}

#[test]
fn paper_and_contracts_agree_to_the_unit() {
    let Some(aave) = aave() else { return };
    let lives = if std::env::var_os("BARDO_LONG").is_some() { 200 } else { 6 };
    let (mut done, mut refused) = (0, 0);
    for seed in 0..lives {
        let Some(mut chain) = chain(seed % 2 == 0) else { return };
        let terms = terms(if seed % 3 == 0 { 20_000_000 } else { 0 });
        chain.open_lending(aave, &terms).expect("a market");
        let mut paper = OnPaper { reserve: LendingReserve::new(terms), lent: 0, owed: 0 };
        let mut dice = Draws(seed);
        let mut now = chain.open_block().timestamp;
        for turn in 0..60 {
            // Now and then several things happen in one block.
            if dice.below(3) > 0 {
                let most = 10_u64.pow(1 + u32::try_from(dice.below(7)).unwrap_or(0));
                now = step(&mut chain, 1 + dice.below(most));
            }
            let deed = any_deed(&mut dice);
            let (here, there) = (paper.does(deed, now), chain.let_bank(deed));
            assert_eq!(here, there.is_ok(), "seed {seed}, turn {turn}, {deed:?}: {there:?}\n{:?}", paper.reserve);
            if here {
                done += 1
            } else {
                refused += 1
            }
            assert_eq!(
                paper.reserve,
                chain.lending_reserve(&terms).expect("a market"),
                "seed {seed}, turn {turn}, {deed:?}"
            );
            assert_eq!(
                (paper.lent, paper.reserve.balance(paper.lent, now)),
                chain.bank_lent().expect("units"),
                "seed {seed}"
            );
            assert_eq!(
                (paper.owed, paper.reserve.debt(paper.owed, now)),
                chain.bank_debt().expect("units"),
                "seed {seed}"
            );
        }
    }
    assert!(done > lives * 25 && refused > lives * 5, "both ways were taken: {done} and {refused}");
}
