//! The recorded gas table against what the contracts really use.

use super::common::{account, contracts};
use super::life::Life;
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig};
use golem_core::intent::Asset;
use golem_core::{Action, Usdc};
use golem_venue::{GenesisConfig, Venue, act, gas, spot};
use std::collections::BTreeMap;

/// What the table tells apart: the kind of action, approvals, ticks crossed, allowances revoked, and whether it reverted.
type Class = (&'static str, u32, u32, u32, bool);

/// One action: what it was charged, and what it used.
type Cost = (u64, u64);

/// Wishes in each of four worlds.
const WISHES: usize = 1_500;
/// How far the median of a class may be from the table, in thousandths: classes that are usual, and those that are rare.
const USUAL: (usize, u64) = (100, 50);
const RARE: (usize, u64) = (10, 160);

fn name(action: &Action) -> &'static str {
    match action {
        Action::Buy { .. } | Action::Sell { .. } => "swap",
        Action::Mint { position: None, .. } => "open",
        Action::Mint { .. } => "add",
        Action::Burn { close: true, .. } => "close",
        Action::Burn { .. } => "remove",
        Action::Collect { .. } => "collect",
        Action::Home { .. } | Action::Unwrap { .. } => "by leave",
    }
}

/// Ask for more than there can be.
fn impossible(action: &mut Action) {
    match action {
        Action::Buy { min_out, .. } => *min_out = Asset(u128::MAX),
        Action::Sell { min_out, .. } | Action::Burn { min_out, .. } => *min_out = Usdc(u64::MAX),
        Action::Mint { pay, give, min_pay, min_give, .. } => (*min_pay, *min_give) = (*pay, *give),
        Action::Collect { .. } | Action::Home { .. } | Action::Unwrap { .. } => {}
    }
}

fn median(mut of: Vec<u64>) -> u64 {
    of.sort_unstable();
    of[of.len() / 2]
}

/// Live in a world of a certain depth, and note what everything cost.
fn live(usdc_is_token0: bool, depth: u64, seed: u64, costs: &mut BTreeMap<Class, Vec<Cost>>) -> Option<()> {
    let price = spot::sqrt_price_of(2_000.0, usdc_is_token0);
    let genesis = GenesisConfig::deep(usdc_is_token0, price, Usdc::whole(depth), 1_700_000_000, 20_000_000_000);
    let chain = EmbeddedChain::open_in_memory(contracts()?, &EmbeddedConfig::new(genesis)).unwrap();
    let mut life = Life::upon(chain, seed);
    for _ in 0..WISHES {
        if life.chance.below(2) == 0 {
            life.pass();
        }
        let who = account(1 + life.chance.below(3) as u8);
        let (view, book) = (life.chain.view().unwrap(), life.chain.book(who).unwrap());
        let intent = life.wish(&book);
        for mut action in act::resolve(&intent, &view, &book).unwrap_or_default() {
            if life.chance.below(10) == 0 {
                impossible(&mut action);
            }
            let done = life.chain.execute(who, &action).unwrap();
            if done.gas_used > 0 {
                let approvals = gas::approvals(&action);
                let revoked = life.chain.head().index - done.point.index - approvals - 1;
                let class = (name(&action), approvals, done.crossed, revoked, done.refused.is_some());
                costs.entry(class).or_default().push((done.gas_charged, done.gas_used));
            }
            if done.refused.is_some() {
                break;
            }
        }
    }
    Some(())
}

/// How far a charge is from what was used, in thousandths of it.
fn off((charged, used): Cost) -> u64 {
    charged.abs_diff(used) * 1_000 / used
}

#[test]
fn the_recorded_table_is_what_contracts_use() {
    let mut costs = BTreeMap::new();
    for (n, depth) in [1_000_000, 30_000].into_iter().enumerate() {
        for usdc_is_token0 in [true, false] {
            let seed = 21 + 2 * n as u64 + u64::from(!usdc_is_token0);
            let Some(()) = live(usdc_is_token0, depth, seed, &mut costs) else { return };
        }
    }
    let (mut wrong, mut near, mut count, mut sums) = (Vec::new(), 0, 0, [0; 2]);
    for (class, costs) in &costs {
        let (charged, n) = (costs[0].0, costs.len());
        assert!(costs.iter().all(|c| c.0 == charged), "{class:?} is charged differently");
        let used = median(costs.iter().map(|c| c.1).collect());
        let line = format!("{class:?}: charged {charged}, median {used}, off by {}/1000, n={n}", off((charged, used)));
        let allowed = [USUAL, RARE].into_iter().find(|(least, _)| n >= *least).map(|(_, allowed)| allowed);
        if allowed.is_some_and(|allowed| off((charged, used)) > allowed) {
            wrong.push(line.clone());
        }
        eprintln!("{line}");
        near += costs.iter().filter(|c| off(**c) <= 150).count();
        count += n;
        costs.iter().for_each(|c| (sums[0], sums[1]) = (sums[0] + c.0, sums[1] + c.1));
    }
    eprintln!("{near} of {count} single actions within 15 %; charged {} for {} used in all", sums[0], sums[1]);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(near * 100 >= count * 75, "{near} of {count} within 15 %");
    assert!(off((sums[0], sums[1])) <= 30, "{sums:?}");
}
