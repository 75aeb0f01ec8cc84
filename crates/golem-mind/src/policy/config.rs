//! What an owner can change about the policy: the template, its table, and what all templates share.

use super::registry::{Parameter, SHARED};
use super::tables::{EthDca, LpManagement, StableYield, TrendFollowing};
use super::template::Template;
use golem_core::{Problem, Usdc};
use serde::{Deserialize, Serialize};

/// `[policy]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// The strategy.
    pub template: Template,
    /// How far below the spot quote an outcome may lie, and how far the price may move, in basis points.
    pub slippage_bps: u32,
    /// What a trade costs before own actions have taught it, in basis points.
    pub assumed_cost_bps: f64,
    /// What a trade may cost at most, gas included, where no forecast says what it brings; in basis points of it.
    pub most_cost_bps: f64,
    /// Gas that one swap takes; 0 when someone else pays.
    pub gas_units: u64,
    /// The smallest trade.
    #[serde(with = "golem_core::money::as_text")]
    pub min_trade_usdc: Usdc,
    /// Nominal ticks between two turns with actions.
    pub cooldown_ticks: u64,
    /// Turns that unwinding takes.
    pub unwind_turns: u32,
    /// Pieces in which it is done, at most one a turn.
    pub unwind_pieces: u32,
    /// Parameters of `lp-management`.
    pub lp_management: LpManagement,
    /// Parameters of `trend-following`.
    pub trend_following: TrendFollowing,
    /// Parameters of `eth-dca`.
    pub eth_dca: EthDca,
    /// Parameters of `stable-yield`.
    pub stable_yield: StableYield,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self {
            template: Template::default(),
            slippage_bps: 50,
            assumed_cost_bps: 10.0,
            most_cost_bps: 100.0,
            gas_units: 180_000,
            min_trade_usdc: Usdc(500_000),
            cooldown_ticks: 90,
            unwind_turns: 50,
            unwind_pieces: 10,
            lp_management: LpManagement::default(),
            trend_following: TrendFollowing::default(),
            eth_dca: EthDca::default(),
            stable_yield: StableYield::default(),
        }
    }
}

impl PolicyConfig {
    /// Every problem, with the key it is about. Tables of other templates are checked too: an owner who wrote them meant
    /// something by it.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found: Vec<_> =
            SHARED.iter().chain(Template::all_parameters()).filter_map(|p| p.problem(self)).collect();
        let mut hold = |holds: bool, key: &str, message: String| {
            if !holds {
                found.push(Problem::new(key, message));
            }
        };
        let (pieces, turns) = (self.unwind_pieces, self.unwind_turns);
        hold(
            pieces <= turns,
            "unwind_pieces",
            format!("{pieces} pieces do not fit in {turns} turns; write at most {turns}"),
        );
        let (fast, slow) = (self.trend_following.fast_hours, self.trend_following.slow_hours);
        let message = format!("{fast} must be below slow_hours, which is {slow}");
        hold(fast < slow, "trend_following.fast_hours", message);
        let (amount, least) = (self.eth_dca.amount_usdc, self.min_trade_usdc);
        let message = format!("{amount} is below min_trade_usdc, which is {least}: nothing would ever be bought");
        hold(amount >= least || self.template != Template::EthDca, "eth_dca.amount_usdc", message);
        found
    }

    /// The value at a key: a setting that all templates share, or a parameter of any of them.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<f64> {
        Self::parameter(key).map(|p| p.get(self))
    }

    fn parameter(key: &str) -> Option<&'static Parameter> {
        SHARED.iter().chain(Template::all_parameters()).find(|p| p.key == key)
    }
}
