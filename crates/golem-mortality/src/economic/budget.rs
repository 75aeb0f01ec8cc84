//! What a budget means before anything is lived on it: what it costs to live, what would have to be earned for it, and
//! from where on a trade is worth its price.

use super::prices::Prices;
use super::reserve;
use golem_core::Usdc;
use serde::Serialize;

/// The yearly yield, in basis points, that the break-even budget is reckoned with: what a good year brings.
pub const GOOD_YEAR_BPS: u32 = 1_000;
const DAYS_A_YEAR: u64 = 365;

/// A budget, seen through what living costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BudgetMeaning {
    /// What a day costs whatever is done.
    #[serde(rename = "rent_per_day_micro_usdc")]
    pub rent_per_day: Usdc,
    /// What may be put to work.
    #[serde(rename = "capital_micro_usdc")]
    pub capital: Usdc,
    /// What capital would have to bring in a year to pay the rent, as a share of it; none where there is no capital.
    pub yield_a_year: Option<f64>,
    /// The smallest trade that costs little enough to be made; none where nobody knows what gas costs.
    #[serde(rename = "smallest_trade_micro_usdc")]
    pub smallest_trade: Option<Usdc>,
    /// The budget whose capital pays the rent in a good year (10 %).
    #[serde(rename = "break_even_budget_micro_usdc")]
    pub break_even: Usdc,
    /// Days until rent alone has eaten it down to the reserve; none where there is no rent.
    pub days_by_rent: Option<f64>,
}

/// What a budget means at these prices. `smallest_trade` is the policy's word, where it knows what gas costs.
#[must_use]
pub fn meaning(budget: Usdc, prices: &Prices, smallest_trade: Option<Usdc>) -> BudgetMeaning {
    let rent_per_day = prices.rent_per_day();
    let rent_a_year = rent_per_day.ratio(DAYS_A_YEAR, 1);
    let capital = budget.minus(budget.share_bps(prices.operating_bps));
    let locked = reserve(prices.reserve_floor, budget.share_bps(prices.reserve_bps), Usdc::ZERO);
    // Of a whole USDC, so much is capital, and so much of that comes in within a good year.
    let earns_bps2 = u64::from(10_000u32.saturating_sub(prices.operating_bps)) * u64::from(GOOD_YEAR_BPS);
    let has_rent = rent_per_day > Usdc::ZERO;
    BudgetMeaning {
        rent_per_day,
        capital,
        yield_a_year: (capital > Usdc::ZERO).then(|| rent_a_year.as_f64() / capital.as_f64()),
        smallest_trade,
        break_even: rent_a_year.ratio(100_000_000, earns_bps2.max(1)),
        days_by_rent: has_rent.then(|| budget.minus(locked).as_f64() / rent_per_day.as_f64()),
    }
}

impl BudgetMeaning {
    /// Whether there is enough capital for a single useful trade, as far as that is known.
    #[must_use]
    pub fn can_trade(&self) -> bool {
        self.smallest_trade.is_none_or(|least| least <= self.capital)
    }

    /// In lines for people.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let days = self.days_by_rent.map_or_else(String::new, |d| format!(", which eats it in {d:.0} days"));
        lines.push(format!("rent {} USDC a day{days}", self.rent_per_day));
        if let Some(share) = self.yield_a_year.filter(|_| self.rent_per_day > Usdc::ZERO) {
            let (percent, good) = (share * 100.0, GOOD_YEAR_BPS / 100);
            lines.push(format!(
                "its {} USDC of capital must bring {percent:.0} % a year to pay for that; at {good} % a year it takes a budget of {:.0} USDC",
                self.capital,
                self.break_even.as_f64()
            ));
        }
        if let Some(least) = self.smallest_trade {
            let verdict = if self.can_trade() { "" } else { ": more than its capital, so it will not trade at all" };
            lines.push(format!("the smallest useful trade is {:.2} USDC{verdict}", least.as_f64()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EconomicConfig;

    #[test]
    fn a_small_budget_is_called_small() {
        let prices = Prices::of(&EconomicConfig::default());
        let least = Some(Usdc(2_500_000));
        for (budget, can_trade, percent, days) in
            [(2, false, 6_935.0, 7.46), (10, true, 1_387.0, 42.5), (50, true, 277.4, 214.9)]
        {
            let told = meaning(Usdc::whole(budget), &prices, least);
            assert_eq!((told.rent_per_day, told.can_trade()), (Usdc(228_000), can_trade), "{budget}");
            assert!((told.yield_a_year.unwrap() * 100.0 / percent - 1.0).abs() < 0.01, "{told:?}");
            assert!((told.days_by_rent.unwrap() / days - 1.0).abs() < 0.01, "{told:?}");
            assert_eq!(told.break_even, Usdc(1_387_000_000), "it does not depend on the budget");
            let lines = told.lines().join("\n");
            assert!(lines.contains("0.228") && lines.contains("2.50 USDC") && lines.contains("1387"), "{lines}");
            assert_eq!(lines.contains("will not trade"), !can_trade, "{lines}");
        }
        // At its own break-even budget, capital brings exactly the rent in a good year.
        let even = meaning(Usdc(1_387_000_000), &prices, None);
        assert!((even.yield_a_year.unwrap() - 0.10).abs() < 1e-6 && even.can_trade());
    }

    #[test]
    fn whoever_pays_no_rent_needs_no_yield() {
        let prices = Prices::of(&EconomicConfig { enabled: false, ..EconomicConfig::default() });
        let told = meaning(Usdc::whole(50), &prices, None);
        assert_eq!((told.rent_per_day, told.break_even, told.days_by_rent), (Usdc::ZERO, Usdc::ZERO, None));
        assert_eq!(told.lines().len(), 1);
    }
}
