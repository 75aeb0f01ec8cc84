//! What the embedded chain costs: swaps against bare revm doing the same, forks of the past and of the head, books.
//!
//! `cargo bench -p golem-chain --bench embedded [BLOCKS]`; the folder `target/tools/contracts` must hold the contracts, or
//! npm be there to fetch them.

// What a benchmark prints is its result.
#![allow(clippy::print_stdout)]

use alloy_primitives::{Address, Bytes, U256};
use golem_chain::contracts;
use golem_chain::embedded::{BLOCK_GAS, EmbeddedChain, EmbeddedConfig, HARDFORK, endowment, script};
use golem_core::intent::Asset;
use golem_core::{Action, Point, Usdc};
use golem_venue::pool::maths;
use golem_venue::spot::wide;
use golem_venue::{Account, GenesisConfig, Header, MarketTrade, Venue, spot};
use revm::context::{BlockEnv, CfgEnv, Context, Journal, TxEnv};
use revm::database::InMemoryDB;
use revm::primitives::TxKind;
use revm::state::AccountInfo;
use revm::{ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainnetEvm};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const WHO: Account = Account([7; 20]);
const BASE_FEE: u128 = 20_000_000_000;

fn genesis() -> GenesisConfig {
    let price = spot::sqrt_price_of(2_000.0, true);
    GenesisConfig::deep(true, price, Usdc::whole(1_000_000), 1_700_000_000, BASE_FEE)
}

/// Processor time of this thread, so that a busy machine does not count.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split_whitespace().next().and_then(|n| n.parse().ok());
    nanos.map_or_else(|| std::time::UNIX_EPOCH.elapsed().unwrap_or_default(), Duration::from_nanos)
}

fn micros(spent: Duration, count: u64) -> f64 {
    spent.as_secs_f64() * 1e6 / count as f64
}

/// Where the market goes at each block: a walk of a few ticks, the same every time.
fn walk(start: i32) -> impl Iterator<Item = MarketTrade> {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut tick = start;
    std::iter::repeat_with(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let step = (seed >> 33) as i32 % 41 - 20;
        tick = (tick + if step == 0 { 1 } else { step }).clamp(start - 5_000, start + 5_000);
        MarketTrade::ToPrice { sqrt_price_x96: wide(maths::ratio_at(tick).expect("a tick") + U256::from(seed >> 40)) }
    })
}

/// Blocks with one trade of the market each; returns the processor time.
fn live(chain: &mut EmbeddedChain, walk: &mut impl Iterator<Item = MarketTrade>, blocks: u64) -> Duration {
    let start = chain.view().expect("a view").timestamp;
    let before = cpu();
    for (n, trade) in (1..=blocks).zip(walk) {
        chain.begin_block(Header { timestamp: start + 40 * n, base_fee: BASE_FEE }).expect("a block");
        chain.trade(&trade).expect("a trade");
    }
    cpu() - before
}

/// Bare revm with its own in-memory database, and the same contracts on it.
struct Bare {
    evm: MainnetEvm<Context<BlockEnv, TxEnv, CfgEnv, InMemoryDB, Journal<InMemoryDB>, ()>>,
}

impl Bare {
    fn new(contracts: &contracts::Contracts) -> Self {
        let (site, steps) = script(contracts, &genesis(), golem_wallet::RouterKind::default());
        let mut db = InMemoryDB::default();
        db.insert_account_info(site.market, AccountInfo { balance: endowment(), ..AccountInfo::default() });
        let mut context = Context::<BlockEnv, TxEnv, CfgEnv, InMemoryDB, Journal<InMemoryDB>, ()>::new(db, HARDFORK);
        context.cfg.set_spec_and_mainnet_gas_params(HARDFORK);
        context.cfg.chain_id = EmbeddedConfig::CHAIN_ID;
        let mut bare = Self { evm: context.build_mainnet() };
        bare.evm.set_block(block(0, 1_699_999_999));
        for (nonce, step) in (0..).zip(steps) {
            let tx = tx(site.market, nonce, step.to, step.value, step.data);
            assert!(bare.evm.transact_commit(tx).expect("it runs").is_success());
        }
        bare
    }

    /// The very transactions of these blocks; returns the processor time.
    fn live(&mut self, recorded: &mut EmbeddedChain, blocks: std::ops::RangeInclusive<u64>) -> Duration {
        let mut txs = Vec::new();
        for number in blocks {
            let sent = recorded.transaction(Point { block: number, index: 0 }).expect("readable").expect("a trade");
            let seen = recorded.block(number).expect("readable").expect("a block");
            txs.push((seen.block, tx(sent.from, sent.nonce, sent.to, sent.value, sent.data), sent.gas_used));
        }
        let before = cpu();
        for (at, tx, gas_used) in txs {
            self.evm.set_block(block(at.number, at.timestamp));
            let result = self.evm.transact_commit(tx).expect("it runs");
            assert_eq!(result.gas().tx_gas_used(), gas_used, "block {}", at.number);
        }
        cpu() - before
    }
}

fn block(number: u64, timestamp: u64) -> BlockEnv {
    BlockEnv {
        number: U256::from(number),
        timestamp: U256::from(timestamp),
        basefee: BASE_FEE as u64,
        gas_limit: BLOCK_GAS,
        ..BlockEnv::default()
    }
}

fn tx(from: Address, nonce: u64, to: Option<Address>, value: U256, data: Bytes) -> TxEnv {
    TxEnv {
        tx_type: 2,
        caller: from,
        gas_limit: BLOCK_GAS / 2,
        gas_price: BASE_FEE,
        gas_priority_fee: Some(0),
        kind: to.map_or(TxKind::Create, TxKind::Call),
        value,
        data,
        nonce,
        chain_id: Some(EmbeddedConfig::CHAIN_ID),
        ..TxEnv::default()
    }
}

/// The chain and bare revm take turns, so that a machine that is busy is busy for both; what is compared is the sum.
fn swaps(chain: &mut EmbeddedChain, contracts: &contracts::Contracts, blocks: u64) {
    let mut bare = Bare::new(contracts);
    let mut walk = walk(chain.view().expect("a view").pool.tick);
    let (mut ours, mut theirs, mut shares) = (Duration::ZERO, Duration::ZERO, Vec::new());
    let turn = 500;
    for _ in 0..(blocks / turn).max(1) {
        let first = chain.head().block + 1;
        let (a, b) = (live(chain, &mut walk, turn), bare.live(chain, first..=first + turn - 1));
        (ours, theirs) = (ours + a, theirs + b);
        shares.push(b.as_secs_f64() / a.as_secs_f64() * 100.0);
    }
    shares.sort_by(f64::total_cmp);
    println!(
        "{blocks} blocks with a swap each, written: embedded {:.1} us, bare revm {:.1} us: {:.1} % of its throughput (median of turns {:.1} %)",
        micros(ours, blocks),
        micros(theirs, blocks),
        100.0 * theirs.as_secs_f64() / ours.as_secs_f64(),
        shares[shares.len() / 2],
    );
}

fn forks(chain: &mut EmbeddedChain, blocks: u64) {
    let every = (blocks / 400).max(1);
    let (mut opening, mut using) = (Vec::new(), Vec::new());
    for block in (2..blocks).step_by(every as usize) {
        let begun = Instant::now();
        let mut fork = chain.fork_at(Point { block, index: 0 }).expect("a fork");
        let opened = begun.elapsed();
        black_box(fork.trade(&MarketTrade::Buy { pay: Usdc::whole(1_000) }).expect("a trade"));
        using.push(begun.elapsed() - opened);
        opening.push(opened);
    }
    opening.sort_unstable();
    using.sort_unstable();
    let at = |times: &[Duration], percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6;
    println!(
        "past fork at {blocks} blocks (of {}, by the clock on the wall): open {:.1} us, 99th of 100 {:.1} us; first swap on it {:.0} us",
        opening.len(),
        at(&opening, 50),
        at(&opening, 99),
        at(&using, 50),
    );
}

fn head(chain: &mut EmbeddedChain) {
    chain.fund_to(WHO, Usdc::whole(1_000_000)).expect("funds");
    chain.execute(WHO, &Action::Buy { pay: Usdc::whole(500_000), min_out: Asset(0) }).expect("a buy");
    let book = chain.book(WHO).expect("a book");
    let middle = book.pool.tick.div_euclid(10) * 10;
    let range = golem_core::venue::Range { lower: middle - 500, upper: middle + 500 };
    let (pay, give) = (Usdc::whole(100_000), Asset(50 * Asset::WHOLE));
    let mint = Action::Mint { position: None, range, pay, give, min_pay: Usdc(0), min_give: Asset(0) };
    chain.execute(WHO, &mint).expect("a mint");
    let timed = |name: &str, count: u64, mut f: Box<dyn FnMut() + '_>| {
        let before = cpu();
        (0..count).for_each(|_| f());
        println!("{name}: {:.2} us", micros(cpu() - before, count));
    };
    let point = chain.head();
    timed("fork at the head", 50_000, Box::new(|| drop(black_box(chain.fork_at(point).expect("a fork")))));
    timed("view", 50_000, Box::new(|| assert!(black_box(chain.view()).is_ok())));
    timed("book with a position", 5_000, Box::new(|| assert!(black_box(chain.book(WHO)).is_ok())));
    timed("book with nothing", 20_000, Box::new(|| assert!(black_box(chain.book(Account([9; 20]))).is_ok())));
    let buy = Action::Buy { pay: Usdc::whole(100), min_out: Asset(0) };
    timed(
        "preview of a buy on a fork of the head",
        2_000,
        Box::new(|| {
            let mut fork = chain.fork_at(point).expect("a fork");
            black_box(fork.execute(WHO, &buy).expect("a buy"));
        }),
    );
    timed(
        "a buy: approval and swap through the router",
        2_000,
        Box::new(|| {
            black_box(chain.execute(WHO, &buy).expect("a buy"));
        }),
    );
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn main() {
    let blocks = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(20_000u64);
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let contracts = contracts::fetch_or_load(&target.join("tools/contracts"), |m| println!("{m}")).expect("contracts");
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("chain.db");
    let mut chain = EmbeddedChain::open(&path, &contracts, &EmbeddedConfig::new(genesis())).expect("a chain");
    let before = resident();
    swaps(&mut chain, &contracts, blocks);
    chain.commit().expect("written");
    let size = std::fs::metadata(&path).map_or(0, |m| m.len());
    println!(
        "chain.db: {:.1} MB, {} bytes a block; memory grew by {} kB",
        size as f64 / 1e6,
        size / blocks,
        resident().saturating_sub(before)
    );
    forks(&mut chain, blocks);
    head(&mut chain);
    chain.commit().expect("written");
    drop(chain);
    let begun = Instant::now();
    let chain = EmbeddedChain::resume(&path).expect("the chain");
    println!("restart: {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    drop(chain);
}
