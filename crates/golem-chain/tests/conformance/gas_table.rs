//! The recorded gas table against what the contracts really use.

use super::common::account;
use super::life::Life;
use golem_core::{Action, Point};
use golem_venue::gas;
use std::collections::BTreeMap;

/// What the table tells apart.
type Class = (&'static str, u32, u32, u32, bool);

struct Sample {
    class: Class,
    charged: u64,
    used: u64,
    own: u64,
    around: Vec<(bool, u64)>,
}

fn name(action: &Action) -> &'static str {
    match action {
        Action::Buy { .. } | Action::Sell { .. } => "swap",
        Action::Mint { position: None, .. } => "open",
        Action::Mint { .. } => "add",
        Action::Burn { close: true, .. } => "close",
        Action::Burn { .. } => "remove",
        Action::Collect { .. } => "collect",
    }
}

fn median(mut of: Vec<u64>) -> u64 {
    of.sort_unstable();
    of[of.len() / 2]
}

fn samples(usdc_is_token0: bool, seed: u64, actions: usize) -> Option<Vec<Sample>> {
    use golem_venue::Venue;
    let mut life = Life::new(usdc_is_token0, seed)?;
    let mut all = Vec::new();
    for _ in 0..actions {
        if life.chance.below(2) == 0 {
            life.pass();
        }
        let who = account(1 + life.chance.below(3) as u8);
        let book = life.chain.book(who).unwrap();
        let intent = life.wish(&book);
        let view = life.chain.view().unwrap();
        let Ok(actions) = golem_venue::act::resolve(&intent, &view, &book) else { continue };
        for action in actions {
            let done = life.chain.execute(who, &action).unwrap();
            if done.gas_used == 0 {
                break;
            }
            let approvals = gas::approvals(&action);
            let end = life.chain.head().index;
            let each: Vec<u64> = (done.point.index..end)
                .map(|index| {
                    life.chain.transaction(Point { block: done.point.block, index }).unwrap().unwrap().gas_used
                })
                .collect();
            let revoked = each.len() as u32 - approvals - 1;
            let class = (name(&action), approvals, done.crossed, revoked, done.refused.is_some());
            let around = each
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != approvals as usize)
                .map(|(i, g)| (i < approvals as usize, *g))
                .collect();
            all.push(Sample {
                class,
                charged: done.gas_charged,
                used: done.gas_used,
                own: each[approvals as usize],
                around,
            });
            if done.refused.is_some() {
                break;
            }
        }
    }
    Some(all)
}

#[test]
fn the_recorded_table_is_what_contracts_use() {
    let mut all = Vec::new();
    for (usdc_is_token0, seed) in [(true, 21), (false, 22)] {
        let Some(some) = samples(usdc_is_token0, seed, 700) else { return };
        all.extend(some);
    }
    let spread = |of: Vec<u64>| {
        let (a, b) = (*of.iter().min().unwrap(), *of.iter().max().unwrap());
        let n = of.len();
        let m = median(of);
        format!("n={n} median={m} min={a} max={b}")
    };
    let mut own: BTreeMap<(&str, bool, u32), Vec<u64>> = BTreeMap::new();
    let mut whole: BTreeMap<Class, Vec<(u64, u64)>> = BTreeMap::new();
    let mut around: BTreeMap<bool, Vec<u64>> = BTreeMap::new();
    for s in &all {
        own.entry((s.class.0, s.class.4, s.class.2.min(4))).or_default().push(s.own);
        whole.entry(s.class).or_default().push((s.charged, s.used));
        for (approve, g) in &s.around {
            around.entry(*approve).or_default().push(*g);
        }
    }
    for (k, v) in around {
        eprintln!("approve={k}: {}", spread(v));
    }
    for (k, v) in own {
        eprintln!("own {k:?}: {}", spread(v));
    }
    for (k, v) in whole {
        let charged = v[0].0;
        eprintln!("{k:?}: charged {charged} {}", spread(v.iter().map(|x| x.1).collect()));
    }
}
