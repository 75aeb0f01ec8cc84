//! From an action to transactions: which contract is called with what, on every chain with contracts alike.
//!
//! The recipient is always the account itself, an approval is always exact, and nothing here can be told otherwise. What goes
//! home has a call of its own, and the birth record says where to.

use alloy_primitives::aliases::{I24, U24, U160};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use golem_core::intent::Refusal;
use golem_core::venue::{LogKind, Range};
use golem_core::{Action, HomeSum, Homeward};
use golem_venue::pool::FEE;
use golem_venue::{gas, spot};
use golem_wallet::RouterKind;
use golem_wallet::abi::{Erc20, NonfungiblePositionManager as Positions, SwapRouter, SwapRouter02, Weth9};
use serde::{Deserialize, Serialize};

/// Where the contracts of a venue stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// The dollar token.
    pub usdc: Address,
    /// The asset: wrapped ether.
    pub weth: Address,
    /// The v3 pool of the two.
    pub pool: Address,
    /// The v3 factory that made it.
    pub factory: Address,
    /// The v3 router.
    pub router: Address,
    /// Which of the two routers it is. Not among the bytes of places that were written before there were two.
    #[serde(skip)]
    pub router_kind: RouterKind,
    /// The v3 position manager.
    pub positions: Address,
}

/// One transaction to be sent: no coin goes with it, unless it goes home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The contract.
    pub to: Address,
    /// What it is told.
    pub data: Bytes,
}

impl Call {
    /// A typed call of a contract.
    pub fn new(to: Address, call: &impl SolCall) -> Self {
        Self { to, data: call.abi_encode().into() }
    }
}

impl Places {
    /// Which token USDC is in the pool.
    #[must_use]
    pub fn usdc_is_token0(&self) -> bool {
        self.usdc < self.weth
    }
    /// Who takes the tokens of an action.
    #[must_use]
    pub fn spender(&self, action: &Action) -> Address {
        match action {
            Action::Buy { .. } | Action::Sell { .. } => self.router,
            Action::Mint { .. } | Action::Burn { .. } | Action::Collect { .. } => self.positions,
            // Nobody takes anything: they ask for no allowance.
            Action::Home { .. } | Action::Unwrap { .. } => self.weth,
        }
    }
    /// The approvals that an action needs before it, each exact: USDC first.
    #[must_use]
    pub fn approvals(&self, action: &Action) -> Vec<Call> {
        let amounts = gas::approved(action).into_iter().zip([self.usdc, self.weth]);
        let needed = amounts.filter(|(amount, _)| *amount > 0);
        needed.map(|(amount, token)| self.approve(action, token, U256::from(amount))).collect()
    }
    /// Allowances to be taken back when an action has taken this much USDC and asset; all of them when it took nothing
    /// because it reverted.
    #[must_use]
    pub fn revocations(&self, action: &Action, taken: [u128; 2]) -> Vec<Call> {
        let approved = gas::approved(action);
        let left = [self.usdc, self.weth].into_iter().zip(approved.into_iter().zip(taken));
        let dangling = left.filter(|(_, (approved, taken))| gas::worth_revoking(*approved, *taken));
        dangling.map(|(token, _)| self.approve(action, token, U256::ZERO)).collect()
    }
    fn approve(&self, action: &Action, token: Address, value: U256) -> Call {
        Call::new(token, &Erc20::approveCall { spender: self.spender(action), value })
    }

    /// The one transaction of an action, for an account, to happen until a deadline.
    #[must_use]
    pub fn act(&self, who: Address, action: &Action, deadline: u64) -> Call {
        let deadline = U256::from(deadline);
        match *action {
            Action::Buy { pay, min_out } => {
                self.swap(who, [self.usdc, self.weth], U256::from(pay.0), U256::from(min_out.0), deadline)
            }
            Action::Sell { give, min_out } => {
                self.swap(who, [self.weth, self.usdc], U256::from(give.0), U256::from(min_out.0), deadline)
            }
            Action::Mint { position, range, pay, give, min_pay, min_give } => {
                let most = self.ordered(pay.0, give.0);
                let least = self.ordered(min_pay.0, min_give.0);
                match position {
                    None => self.open(who, range, most, least, deadline),
                    Some(id) => self.increase(id, most, least, deadline),
                }
            }
            Action::Burn { position, liquidity, min_out, min_asset, close } => {
                self.decrease(who, position, liquidity, self.ordered(min_out.0, min_asset.0), close, deadline)
            }
            Action::Collect { position } => Call::new(self.positions, &collect(who, position)),
            Action::Unwrap { give } => Call::new(self.weth, &Weth9::withdrawCall { wad: U256::from(give.0) }),
            // Where home is nobody said here: nothing, to oneself.
            Action::Home { .. } => Call { to: who, data: Bytes::new() },
        }
    }
    /// The transaction that sends something home, and the coin that goes with it: tokens by their own call, the coin by none.
    #[must_use]
    pub fn send_home(&self, way: Homeward, sum: HomeSum) -> (Call, U256) {
        let to = way.address().bytes().into();
        let (token, value) = match sum {
            HomeSum::Usdc(amount) => (self.usdc, U256::from(amount.0)),
            HomeSum::Asset(amount) => (self.weth, U256::from(amount.0)),
            HomeSum::Coin(wei) => return (Call { to, data: Bytes::new() }, U256::from(wei.0)),
        };
        (Call::new(token, &Erc20::transferCall { to, value }), U256::ZERO)
    }
    fn ordered(&self, usdc: u64, asset: u128) -> [U256; 2] {
        spot::ordered(self.usdc_is_token0(), U256::from(usdc), U256::from(asset))
    }

    // The contracts' own words for their fields.
    #[allow(non_snake_case)]
    fn swap(&self, who: Address, [from, to]: [Address; 2], amount: U256, least: U256, deadline: U256) -> Call {
        let (fee, sqrtPriceLimitX96) = (U24::from(FEE), U160::ZERO);
        match self.router_kind {
            RouterKind::V1 => {
                let params = SwapRouter::ExactInputSingleParams {
                    tokenIn: from,
                    tokenOut: to,
                    fee,
                    recipient: who,
                    deadline,
                    amountIn: amount,
                    amountOutMinimum: least,
                    sqrtPriceLimitX96,
                };
                Call::new(self.router, &SwapRouter::exactInputSingleCall { params })
            }
            RouterKind::V2 => {
                let params = SwapRouter02::ExactInputSingle02Params {
                    tokenIn: from,
                    tokenOut: to,
                    fee,
                    recipient: who,
                    amountIn: amount,
                    amountOutMinimum: least,
                    sqrtPriceLimitX96,
                };
                let data = vec![SwapRouter02::exactInputSingleCall { params }.abi_encode().into()];
                Call::new(self.router, &SwapRouter02::multicallCall { deadline, data })
            }
        }
    }

    fn open(&self, who: Address, range: Range, most: [U256; 2], least: [U256; 2], deadline: U256) -> Call {
        let [token0, token1] = spot::ordered(self.usdc_is_token0(), self.usdc, self.weth);
        let params = Positions::MintParams {
            token0,
            token1,
            fee: U24::from(FEE),
            tickLower: tick(range.lower),
            tickUpper: tick(range.upper),
            amount0Desired: most[0],
            amount1Desired: most[1],
            amount0Min: least[0],
            amount1Min: least[1],
            recipient: who,
            deadline,
        };
        Call::new(self.positions, &Positions::mintCall { params })
    }

    fn increase(&self, id: u64, most: [U256; 2], least: [U256; 2], deadline: U256) -> Call {
        let params = Positions::IncreaseLiquidityParams {
            tokenId: U256::from(id),
            amount0Desired: most[0],
            amount1Desired: most[1],
            amount0Min: least[0],
            amount1Min: least[1],
            deadline,
        };
        Call::new(self.positions, &Positions::increaseLiquidityCall { params })
    }

    fn decrease(&self, who: Address, id: u64, liquidity: u128, least: [U256; 2], close: bool, deadline: U256) -> Call {
        let params = Positions::DecreaseLiquidityParams {
            tokenId: U256::from(id),
            liquidity,
            amount0Min: least[0],
            amount1Min: least[1],
            deadline,
        };
        let mut steps =
            vec![Positions::decreaseLiquidityCall { params }.abi_encode().into(), collect(who, id).abi_encode().into()];
        if close {
            steps.push(Positions::burnCall { tokenId: U256::from(id) }.abi_encode().into());
        }
        Call::new(self.positions, &Positions::multicallCall { data: steps })
    }
}

fn collect(who: Address, id: u64) -> Positions::collectCall {
    let params = Positions::CollectParams {
        tokenId: U256::from(id),
        recipient: who,
        amount0Max: u128::MAX,
        amount1Max: u128::MAX,
    };
    Positions::collectCall { params }
}

/// Ticks of a pool have at most 24 bits; what has more becomes a tick that no pool takes.
fn tick(at: i32) -> I24 {
    I24::try_from(at).unwrap_or(I24::MIN)
}

/// What a contract's refusal means to a golem.
#[must_use]
pub fn refusal(output: &[u8]) -> Refusal {
    match alloy_sol_types::decode_revert_reason(output) {
        Some(why) if why.contains("Too little received") || why.contains("Price slippage check") => Refusal::Slippage,
        _ => Refusal::Reverted,
    }
}

/// Which of the known events a log is, by its first topic.
#[must_use]
pub fn log_kind(topics: &[alloy_primitives::B256]) -> LogKind {
    use alloy_sol_types::SolEvent;
    use golem_wallet::abi::UniswapV3Pool as Pool;
    let Some(first) = topics.first() else { return LogKind::Other };
    let known = [
        (Erc20::Transfer::SIGNATURE_HASH, LogKind::Transfer),
        (Erc20::Approval::SIGNATURE_HASH, LogKind::Approval),
        (Pool::Swap::SIGNATURE_HASH, LogKind::Swap),
        (Pool::Mint::SIGNATURE_HASH, LogKind::Mint),
        (Pool::Burn::SIGNATURE_HASH, LogKind::Burn),
        (Pool::Collect::SIGNATURE_HASH, LogKind::Collect),
        (Positions::Collect::SIGNATURE_HASH, LogKind::Collect),
        (Positions::IncreaseLiquidity::SIGNATURE_HASH, LogKind::IncreaseLiquidity),
        (Positions::DecreaseLiquidity::SIGNATURE_HASH, LogKind::DecreaseLiquidity),
    ];
    known.into_iter().find(|(topic, _)| topic == first).map_or(LogKind::Other, |(_, kind)| kind)
}
