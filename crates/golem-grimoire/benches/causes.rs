//! What the series, the causal graph and the playbook cost: each turn, each cycle, each revision.

#[path = "../tests/it/help/mod.rs"]
mod help;

use divan::{Bencher, black_box};
use golem_core::dice::{Dice, Strand};
use golem_core::observed::{Expression, Snapshot};
use golem_core::{GolemId, Tick, VirtualTime};
use golem_grimoire::causal::Graph;
use golem_grimoire::entry::{Provenance, RuleAction};
use golem_grimoire::playbook::{Amendment, PlaybookWriter, Rule, RuleSet, RuleWords, parse, render};
use golem_grimoire::series::{Mining, Series, mine};
use help::{Rule as Planted, World, age};
use std::collections::BTreeMap;

fn main() {
    divan::main();
}

fn lived() -> (Series, Graph, Vec<Snapshot>) {
    let (mut world, mut series, mut graph, mut all) = (World::new(1), Series::new(), Graph::new(), Vec::new());
    world.gas_to_fees = Some(Planted { after: 23, during: 40, times: 3.0, on: (0, u64::MAX) });
    let dice = Dice::open(1, Strand::Diagnostics);
    for tick in 1..=4_000 {
        let (at, seen) = world.next();
        series.push(at, &seen);
        graph.observe(at, &seen);
        if tick % 250 == 0 {
            graph.learn(&series, at, &dice, Tick(tick));
        }
        all.push(seen);
    }
    (series, graph, all)
}

/// A turn: one row, and edges that may fire.
#[divan::bench]
fn push_a_row(bencher: Bencher<'_, '_>) {
    let (mut series, _, all) = lived();
    let mut tick = 4_000;
    bencher.bench_local(|| {
        tick += 1;
        series.push(age(tick), black_box(&all[tick as usize % all.len()]));
    });
}

#[divan::bench]
fn observe_a_turn(bencher: Bencher<'_, '_>) {
    let (_, mut graph, all) = lived();
    let mut tick = 4_000;
    bencher.bench_local(|| {
        tick += 1;
        graph.observe(age(tick), black_box(&all[tick as usize % all.len()]));
    });
}

#[divan::bench]
fn base_rate_of_one_criterion(bencher: Bencher<'_, '_>) {
    let (series, ..) = lived();
    let criterion = Expression::compile("market.fee_yield_ratio > 2.0").expect("it compiles");
    bencher.bench(|| black_box(&series).base_rate(&criterion, 20));
}

#[divan::bench]
fn mine_the_whole_grid(bencher: Bencher<'_, '_>) {
    let (series, ..) = lived();
    let dice = Dice::open(1, Strand::Diagnostics);
    bencher.bench(|| mine(black_box(&series), &Mining::default(), &dice, Tick(4_000)));
}

#[divan::bench]
fn learn_over_all_pairs_and_lags(bencher: Bencher<'_, '_>) {
    let (series, graph, _) = lived();
    let dice = Dice::open(1, Strand::Diagnostics);
    bencher.with_inputs(|| graph.clone()).bench_values(|mut graph| {
        graph.learn(black_box(&series), age(4_000), &dice, Tick(4_000));
        graph
    });
}

#[divan::bench]
fn save_the_series(bencher: Bencher<'_, '_>) {
    let (series, ..) = lived();
    bencher.bench(|| postcard::to_stdvec(black_box(&series)));
}

fn full_playbook() -> PlaybookWriter {
    let mut writer = PlaybookWriter::new("ada".parse().expect("a name"), GolemId([1; 16]));
    let rule = |n: usize| {
        let words = RuleWords {
            id: format!("r{n}").parse().expect("an id"),
            title: format!("Rule number {n}"),
            when: Expression::compile(&format!("market.gas_ratio > {n}.5 && market.volume_ratio < 1.5"))
                .expect("compiles"),
            action: RuleAction::Risk { factor: 0.5 },
            because: "It went badly before.".into(),
            confidence_bp: 7_000,
            validated: 5,
            contradicted: 1,
            episodes: 3,
            source: Provenance::SelfGenerated,
            since: VirtualTime(1),
            note: String::new(),
        };
        Amendment::Put(Box::new(Rule::new(words).expect("a rule")))
    };
    writer.curate((0..200).map(rule).collect());
    writer
}

/// Two hundred rules, eight of which are asked in a turn.
#[divan::bench]
fn fire_a_full_playbook(bencher: Bencher<'_, '_>) {
    let (.., all) = lived();
    let mut set = RuleSet::new(full_playbook().playbook(), &BTreeMap::new());
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        set.fire(black_box(&all[turn as usize % all.len()]), Tick(turn)).risk
    });
}

#[divan::bench]
fn render_a_full_playbook(bencher: Bencher<'_, '_>) {
    let writer = full_playbook();
    bencher.bench(|| render(black_box(writer.playbook())));
}

#[divan::bench]
fn parse_a_full_playbook(bencher: Bencher<'_, '_>) {
    let text = full_playbook().text();
    bencher.bench(|| parse(black_box(&text)));
}
