//! A market that lends, on a chain of our own: Aave's contracts, deployed when they are asked for by an account that also supplies and
//! borrows in it, so that it has a rate.

#![allow(missing_docs)] // The macro writes the items of the interfaces; their sources say what each does.

use super::{ChainError, EmbeddedChain};
use crate::calls::Call;
use crate::contracts::{AaveContracts, AavePiece};
use crate::evm::{Ran, Tx};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue, sol};
use golem_core::Usdc;
use golem_venue::Account;
use golem_venue::lending::{LendingGate, LendingReserve, LendingTerms, LentPart, MarketRates};
use golem_wallet::abi::{Erc20, Weth9};
use serde::{Deserialize, Serialize};

sol! {
    struct ReserveData {
        uint256 configuration;
        uint128 liquidityIndex;
        uint128 currentLiquidityRate;
        uint128 variableBorrowIndex;
        uint128 currentVariableBorrowRate;
        uint128 currentStableBorrowRate;
        uint40 lastUpdateTimestamp;
        uint16 id;
        address aTokenAddress;
        address stableDebtTokenAddress;
        address variableDebtTokenAddress;
        address interestRateStrategyAddress;
        uint128 accruedToTreasury;
        uint128 unbacked;
        uint128 isolationModeTotalDebt;
    }
    interface AavePool {
        function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;
        function withdraw(address asset, uint256 amount, address to) external returns (uint256);
        function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf) external;
        function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf) external returns (uint256);
        function getReserveData(address asset) external view returns (ReserveData memory);
    }
    interface AaveToken {
        function scaledBalanceOf(address user) external view returns (uint256);
        function scaledTotalSupply() external view returns (uint256);
        function balanceOf(address user) external view returns (uint256);
    }
    interface AddressesProvider {
        function setACLAdmin(address admin) external;
        function setACLManager(address manager) external;
        function setPoolImpl(address pool) external;
        function setPoolConfiguratorImpl(address configurator) external;
        function setPriceOracle(address oracle) external;
    }
    interface AclManager {
        function addPoolAdmin(address admin) external;
    }
    interface AaveOracle {
        function setAssetPrice(address asset, uint256 price) external;
    }
    struct InitReserveInput {
        address aTokenImpl;
        address stableDebtTokenImpl;
        address variableDebtTokenImpl;
        uint8 underlyingAssetDecimals;
        address interestRateStrategyAddress;
        address underlyingAsset;
        address treasury;
        address incentivesController;
        string aTokenName;
        string aTokenSymbol;
        string variableDebtTokenName;
        string variableDebtTokenSymbol;
        string stableDebtTokenName;
        string stableDebtTokenSymbol;
        bytes params;
    }
    interface PoolConfigurator {
        function initReserves(InitReserveInput[] calldata input) external;
        function setReserveBorrowing(address asset, bool enabled) external;
        function configureReserveAsCollateral(address asset, uint256 ltv, uint256 threshold, uint256 bonus) external;
        function setReserveFactor(address asset, uint256 factor) external;
        function setSupplyCap(address asset, uint256 cap) external;
        function setReserveFreeze(address asset, bool freeze) external;
        function setReservePause(address asset, bool paused) external;
    }
}

/// Gas for the largest of the contracts.
const GAS: u64 = 30_000_000;
/// Debts with a rate that moves.
const VARIABLE: u64 = 2;
/// A dollar and an ether as the market's own oracle prices them, with eight decimals; only whether the banker may borrow hangs on it.
const PRICES: [u64; 2] = [100_000_000, 200_000_000_000];
/// Ether that stands behind whatever the banker borrows: 200 billion dollars.
const COLLATERAL: u128 = 100_000_000_000_000_000_000_000_000;
/// The flags of a reserve.
const FROZEN: usize = 57;
const PAUSED: usize = 60;

/// Where the market stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LendingSite {
    /// The pool, which golems deal with.
    pub pool: Address,
    /// What suppliers hold.
    pub a_token: Address,
    /// What borrowers owe.
    pub debt_token: Address,
    /// Who may change the terms.
    pub configurator: Address,
}

/// Where the market stands on every chain of our own, or will.
#[must_use]
pub fn lending_site() -> LendingSite {
    let provider = banker().create(0);
    let configurator = provider.create(2);
    LendingSite {
        pool: provider.create(1),
        configurator,
        a_token: configurator.create(1),
        debt_token: configurator.create(3),
    }
}

/// Who deploys the market, and supplies and borrows in it.
fn banker() -> Address {
    Address::from_word(keccak256("golem banker"))
}

impl EmbeddedChain {
    /// Deploy the market with these terms. One that is there stays as it is.
    ///
    /// # Errors
    /// When the chain cannot be read or written, or a contract refuses.
    pub fn open_lending(&mut self, aave: &AaveContracts, terms: &LendingTerms) -> Result<LendingSite, ChainError> {
        let site = lending_site();
        if !self.code_of(site.pool)?.is_empty() {
            return Ok(site);
        }
        let (usdc, weth) = (self.site.places.usdc, self.site.places.weth);
        self.give_up_to(Account(banker().into()), Usdc(1))?;
        let provider =
            self.make(aave, AavePiece::AddressesProvider, &("bardo".to_owned(), banker()).abi_encode_params(), &[])?;
        self.tell(provider, &AddressesProvider::setACLAdminCall { admin: banker() })?;
        let manager = self.make(aave, AavePiece::AclManager, &provider.abi_encode(), &[])?;
        self.tell(provider, &AddressesProvider::setACLManagerCall { manager })?;
        self.tell(manager, &AclManager::addPoolAdminCall { admin: banker() })?;
        let mut libraries = Vec::new();
        for piece in [
            AavePiece::SupplyLogic,
            AavePiece::BorrowLogic,
            AavePiece::LiquidationLogic,
            AavePiece::EModeLogic,
            AavePiece::BridgeLogic,
            AavePiece::FlashLoanLogic,
            AavePiece::PoolLogic,
            AavePiece::ConfiguratorLogic,
        ] {
            let made = self.make(aave, piece, &[], &libraries)?;
            libraries.push((piece, made));
        }
        let pool = self.make(aave, AavePiece::Pool, &provider.abi_encode(), &libraries)?;
        self.tell(provider, &AddressesProvider::setPoolImplCall { pool })?;
        let configurator = self.make(aave, AavePiece::PoolConfigurator, &[], &libraries)?;
        self.tell(provider, &AddressesProvider::setPoolConfiguratorImplCall { configurator })?;
        let oracle = self.make(aave, AavePiece::PriceOracle, &[], &[])?;
        self.tell(provider, &AddressesProvider::setPriceOracleCall { oracle })?;
        for (asset, price) in [usdc, weth].into_iter().zip(PRICES) {
            self.tell(oracle, &AaveOracle::setAssetPriceCall { asset, price: U256::from(price) })?;
        }
        let token = |chain: &mut Self, piece| chain.make(aave, piece, &site.pool.abi_encode(), &[]);
        let [a_token, stable, variable] = [
            token(self, AavePiece::AToken)?,
            token(self, AavePiece::StableDebtToken)?,
            token(self, AavePiece::VariableDebtToken)?,
        ];
        let curve = terms.curve;
        let [optimal, base, slope, steep] = [curve.optimal, curve.base, curve.slope, curve.steep].map(U256::from);
        let none = U256::ZERO;
        let words = (provider, optimal, base, slope, steep, none, none, none, none, none).abi_encode();
        let strategy = self.make(aave, AavePiece::RateStrategy, &words, &[])?;
        let input = [(usdc, 6, "USDC"), (weth, 18, "WETH")]
            .into_iter()
            .map(|(asset, decimals, name)| InitReserveInput {
                aTokenImpl: a_token,
                stableDebtTokenImpl: stable,
                variableDebtTokenImpl: variable,
                underlyingAssetDecimals: decimals,
                interestRateStrategyAddress: strategy,
                underlyingAsset: asset,
                treasury: banker(),
                incentivesController: Address::ZERO,
                aTokenName: format!("Aave {name}"),
                aTokenSymbol: format!("a{name}"),
                variableDebtTokenName: format!("Aave variable debt {name}"),
                variableDebtTokenSymbol: format!("variableDebt{name}"),
                stableDebtTokenName: format!("Aave stable debt {name}"),
                stableDebtTokenSymbol: format!("stableDebt{name}"),
                params: Bytes::new(),
            })
            .collect();
        self.tell(site.configurator, &PoolConfigurator::initReservesCall { input })?;
        let collateral = PoolConfigurator::configureReserveAsCollateralCall {
            asset: weth,
            ltv: U256::from(8_000),
            threshold: U256::from(8_250),
            bonus: U256::from(10_500),
        };
        self.tell(site.configurator, &collateral)?;
        self.tell(site.configurator, &PoolConfigurator::setReserveBorrowingCall { asset: usdc, enabled: true })?;
        let factor = U256::from(terms.reserve_bps);
        self.tell(site.configurator, &PoolConfigurator::setReserveFactorCall { asset: usdc, factor })?;
        let cap = U256::from(terms.supply_cap);
        self.tell(site.configurator, &PoolConfigurator::setSupplyCapCall { asset: usdc, cap })?;
        let deposit = Call::new(weth, &Weth9::depositCall {});
        self.as_banker(Some(weth), U256::from(COLLATERAL), deposit.data)?;
        for asset in [usdc, weth] {
            self.tell(asset, &Erc20::approveCall { spender: site.pool, value: U256::MAX })?;
        }
        self.bank_supply(weth, U256::from(COLLATERAL))?;
        Ok(site)
    }

    /// The market as the contracts have it, in the terms it was made with.
    ///
    /// # Errors
    /// When the chain cannot be read, or there is no market.
    pub fn lending_reserve(&mut self, terms: &LendingTerms) -> Result<LendingReserve, ChainError> {
        let (site, usdc) = (lending_site(), self.site.places.usdc);
        let data = self.ask(site.pool, &AavePool::getReserveDataCall { asset: usdc })?;
        let supplied = self.ask(site.a_token, &AaveToken::scaledTotalSupplyCall {})?;
        let borrowed = self.ask(site.debt_token, &AaveToken::scaledTotalSupplyCall {})?;
        let cash = self.ask(usdc, &Erc20::balanceOfCall { account: site.a_token })?;
        let gate = match (data.configuration.bit(PAUSED), data.configuration.bit(FROZEN)) {
            (true, _) => LendingGate::Paused,
            (false, true) => LendingGate::Frozen,
            (false, false) => LendingGate::Open,
        };
        Ok(LendingReserve {
            terms: *terms,
            gate,
            supply_index: data.liquidityIndex,
            borrow_index: data.variableBorrowIndex,
            rates: MarketRates { supply: data.currentLiquidityRate, borrow: data.currentVariableBorrowRate },
            updated: data.lastUpdateTimestamp.to::<u64>(),
            supplied: amount(supplied)?,
            borrowed: amount(borrowed)?,
            treasury: data.accruedToTreasury,
            cash: amount(cash)?,
        })
    }

    /// What an account has in the market: scaled units, and what the contracts say that they are worth now.
    ///
    /// # Errors
    /// When the chain cannot be read, or there is no market.
    pub fn lent(&mut self, who: Account) -> Result<(u128, Usdc), ChainError> {
        self.scaled(lending_site().a_token, who.0.into())
    }

    /// What the market itself owes: scaled units, and what they come to now.
    ///
    /// # Errors
    /// When the chain cannot be read, or there is no market.
    pub fn bank_debt(&mut self) -> Result<(u128, Usdc), ChainError> {
        self.scaled(lending_site().debt_token, banker())
    }

    /// What the market itself has supplied.
    ///
    /// # Errors
    /// When the chain cannot be read, or there is no market.
    pub fn bank_lent(&mut self) -> Result<(u128, Usdc), ChainError> {
        self.scaled(lending_site().a_token, banker())
    }

    /// Let the market do something with dollars of its own: the contracts' word where they refuse.
    ///
    /// # Errors
    /// When the chain cannot be read or written, or the contracts refuse.
    pub fn let_bank(&mut self, deed: BankDeed) -> Result<(), ChainError> {
        let usdc = self.site.places.usdc;
        match deed {
            BankDeed::Supply(sum) => {
                self.mint_to_bank(sum)?;
                self.bank_supply(usdc, U256::from(sum.0))
            }
            BankDeed::Withdraw(part) => {
                let amount = asked(part);
                self.tell(lending_site().pool, &AavePool::withdrawCall { asset: usdc, amount, to: banker() })
            }
            BankDeed::Borrow(sum) => self.tell(
                lending_site().pool,
                &AavePool::borrowCall {
                    asset: usdc,
                    amount: U256::from(sum.0),
                    interestRateMode: U256::from(VARIABLE),
                    referralCode: 0,
                    onBehalfOf: banker(),
                },
            ),
            BankDeed::Repay(part) => {
                let (_, owed) = self.bank_debt()?;
                self.mint_to_bank(if let LentPart::Some(sum) = part { sum } else { owed })?;
                self.tell(
                    lending_site().pool,
                    &AavePool::repayCall {
                        asset: usdc,
                        amount: asked(part),
                        interestRateMode: U256::from(VARIABLE),
                        onBehalfOf: banker(),
                    },
                )
            }
            BankDeed::Gate(gate) => {
                let configurator = lending_site().configurator;
                let (freeze, paused) = (gate != LendingGate::Open, gate == LendingGate::Paused);
                self.tell(configurator, &PoolConfigurator::setReserveFreezeCall { asset: usdc, freeze })?;
                self.tell(configurator, &PoolConfigurator::setReservePauseCall { asset: usdc, paused })
            }
        }
    }

    fn bank_supply(&mut self, asset: Address, amount: U256) -> Result<(), ChainError> {
        let call = AavePool::supplyCall { asset, amount, onBehalfOf: banker(), referralCode: 0 };
        self.tell(lending_site().pool, &call)
    }

    /// Dollars for the banker: as many as it may need, and no fewer than it had.
    fn mint_to_bank(&mut self, sum: Usdc) -> Result<(), ChainError> {
        let usdc = self.site.places.usdc;
        let has = self.ask(usdc, &Erc20::balanceOfCall { account: banker() })?;
        let lacks = U256::from(sum.0).saturating_sub(has);
        if lacks.is_zero() {
            return Ok(());
        }
        let given = super::layout::given(&mut self.state, self.site.maker, banker())?;
        let total = u64::try_from(given.saturating_add(lacks)).map_err(|_| too_much())?;
        self.give_up_to(Account(banker().into()), Usdc(total))
    }

    fn scaled(&mut self, token: Address, user: Address) -> Result<(u128, Usdc), ChainError> {
        let scaled = self.ask(token, &AaveToken::scaledBalanceOfCall { user })?;
        let worth = self.ask(token, &AaveToken::balanceOfCall { user })?;
        Ok((amount(scaled)?, Usdc(u64::try_from(worth).map_err(|_| too_much())?)))
    }

    fn make(
        &mut self,
        aave: &AaveContracts,
        piece: AavePiece,
        arguments: &[u8],
        libraries: &[(AavePiece, Address)],
    ) -> Result<Address, ChainError> {
        let at = |piece| libraries.iter().find(|(p, _)| *p == piece).map_or(Address::ZERO, |(_, at)| *at);
        let code = aave.creation(piece, at);
        let ran = self.as_banker(None, U256::ZERO, [code.as_ref(), arguments].concat().into())?;
        ran.created.ok_or_else(|| ChainError::Bug(format!("{piece:?} was not made")))
    }

    fn tell(&mut self, to: Address, call: &impl SolCall) -> Result<(), ChainError> {
        let Call { to, data } = Call::new(to, call);
        self.as_banker(Some(to), U256::ZERO, data).map(drop)
    }

    fn ask<C: SolCall>(&mut self, to: Address, call: &C) -> Result<C::Return, ChainError> {
        let Call { to, data } = Call::new(to, call);
        let ran = self.call(&Tx { from: banker(), to: Some(to), data, gas_limit: GAS, ..Tx::default() })?;
        if !ran.success {
            return Err(refused(&ran));
        }
        C::abi_decode_returns(&ran.output).map_err(|e| ChainError::Bug(format!("the market's answer: {e}")))
    }

    fn as_banker(&mut self, to: Option<Address>, value: U256, data: Bytes) -> Result<Ran, ChainError> {
        let max_fee = u128::from(self.open_block().base_fee);
        let tx = Tx { from: banker(), to, value, data, gas_limit: GAS, max_fee, ..Tx::default() };
        let ran = self.send(&tx, None)?;
        if ran.success {
            return Ok(ran);
        }
        self.take_back()?;
        Err(refused(&ran))
    }
}

/// What the market itself can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankDeed {
    /// Put dollars in.
    Supply(Usdc),
    /// Take dollars out.
    Withdraw(LentPart),
    /// Borrow dollars.
    Borrow(Usdc),
    /// Pay debts back.
    Repay(LentPart),
    /// Say who may do what.
    Gate(LendingGate),
}

/// As the contracts are asked: all of it is the largest number there is.
fn asked(part: LentPart) -> U256 {
    if let LentPart::Some(sum) = part { U256::from(sum.0) } else { U256::MAX }
}

fn amount(x: U256) -> Result<u128, ChainError> {
    u128::try_from(x).map_err(|_| too_much())
}

fn too_much() -> ChainError {
    ChainError::Bug("an amount does not fit".to_owned())
}

fn refused(ran: &Ran) -> ChainError {
    let why = alloy_sol_types::decode_revert_reason(&ran.output).or(ran.halted.clone()).unwrap_or_default();
    ChainError::Bug(format!("the lending market refuses: {why}"))
}
