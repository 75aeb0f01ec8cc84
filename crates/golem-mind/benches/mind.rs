//! How long a turn of the mind takes.

use divan::Bencher;
use golem_core::Tick;
use golem_core::intent::{Asset, Holdings};
use golem_core::observed::{Field, Snapshot};
use golem_core::{Dice, Elapsed, Observation, ProtocolState, RawObservation, Strand, Usdc, VirtualTime};
use golem_grimoire::EntryId;
use golem_mind::goals::Pursuit;
use golem_mind::tier::{Bias, GateConfig, ThresholdMood, TierMoment, gate};
use golem_mind::{Body, Guidance, Learning, Mind, Permissions, PolicyConfig, Template, Valuation};
use golem_mortality::BehavioralPhase;
use golem_mortality::SettledForecast;

fn main() {
    divan::main();
}

const TURNS: u64 = 4_096;

fn market() -> Vec<Observation> {
    let dice = Dice::open(1, Strand::World);
    let (mut price, mut gas, mut fees) = (2_000.0f64, 0.02f64, 0.001f64);
    (0..TURNS)
        .map(|t| {
            let mut draws = dice.draws(t);
            let ((a, b), (c, _)) = (draws.normals(), draws.normals());
            price *= libm::exp(0.0007 * a);
            gas *= libm::exp(0.05 * b - 0.1 * libm::log(gas / 0.02));
            fees *= libm::exp(0.02 * c - 0.02 * libm::log(fees / 0.001));
            let (gas_gwei, fee_yield) = (Some(gas), Some(fees));
            let protocol = Some(ProtocolState::Normal);
            RawObservation {
                price: Some(price),
                gas_gwei,
                fee_yield,
                volume: None,
                protocol,
                ..RawObservation::default()
            }
            .admit()
        })
        .collect()
}

struct Turns {
    mind: Mind,
    out: Vec<SettledForecast>,
    turn: u64,
}

/// A thousand turns of 40 s in a mind that has already lived for two days: sense, forecast and decide.
#[divan::bench(sample_count = 200)]
fn thousand_turns(bencher: Bencher<'_, '_>) {
    let market = market();
    let config = PolicyConfig::default();
    let mut t = Turns { mind: Mind::default(), out: Vec::new(), turn: 0 };
    run(&mut t, &market, &config, TURNS);
    bencher.counter(divan::counter::ItemsCount::new(1_000u64)).bench_local(|| run(&mut t, &market, &config, 1_000));
}

/// The same with everything that a turn asks of the mind: body, gate, rules of a playbook, paper, goals.
#[divan::bench(sample_count = 200)]
fn thousand_whole_turns(bencher: Bencher<'_, '_>) {
    let market = market();
    let config = PolicyConfig::default();
    let mut t = Turns { mind: Mind::default(), out: Vec::new(), turn: 0 };
    run(&mut t, &market, &config, TURNS);
    let guidance = Guidance {
        scale: [("lp_management.range_sigmas".to_owned(), 1.2), ("lp_management.band".to_owned(), 1.1)].into(),
        risk: 0.9,
        stand_aside: false,
        rules: vec![EntryId([1; 16]).into(), EntryId([2; 16]).into()],
    };
    let mut seen = Snapshot::default();
    for (field, x) in [
        (Field::GolemBalanceUsdc, 50.0),
        (Field::GolemDrawdown, 0.01),
        (Field::GolemExposure, 0.3),
        (Field::PositionShare, 0.0),
    ] {
        let _fits = seen.set_number(field, x);
    }
    bencher.counter(divan::counter::ItemsCount::new(1_000u64)).bench_local(|| {
        for _ in 0..1_000 {
            whole(&mut t, &market, &config, &guidance, &seen);
        }
    });
}

fn whole(t: &mut Turns, market: &[Observation], config: &PolicyConfig, guidance: &Guidance, seen: &Snapshot) {
    let (holdings, value) = held();
    t.turn += 1;
    t.out.clear();
    let now = VirtualTime(0).after(Elapsed::nominal(t.turn));
    t.mind.sense(&market[(t.turn % TURNS) as usize], now, Learning::FULL, &mut t.out);
    t.mind.feel(&Body { vitality: Some(0.6), credit: Some(0.8), ..Default::default() });
    let mut marked = Vec::new();
    t.mind.settle_paper(&mut marked);
    t.mind.forecast(now);
    let phase = BehavioralPhase::Stable;
    let moment = TierMoment {
        probes: t.mind.senses().probes(),
        mood: ThresholdMood { confidence: 0.5, vitality: 0.6, arousal: 0.0 },
        inference: phase.behaviour().inference,
        novel: false,
        forced: None,
        spent: Usdc::ZERO,
        bits: None,
        cached: false,
        models: true,
        bias: Bias::default(),
    };
    divan::black_box(gate(&moment, &GateConfig::default()));
    divan::black_box(t.mind.decide_by(now, (&holdings, &value), &Permissions::ALL, config, guidance));
    divan::black_box(t.mind.decide_on_paper(now, (&holdings, &value), &Permissions::ALL, config, guidance));
    t.mind.pursue(
        Tick(t.turn),
        seen,
        Pursuit { template: config.template, phase, may_open: true, near: false },
        now,
        &mut Vec::new(),
    );
}

/// Saving the whole state.
#[divan::bench]
fn save(bencher: Bencher<'_, '_>) {
    let mut t = Turns { mind: Mind::default(), out: Vec::new(), turn: 0 };
    run(&mut t, &market(), &PolicyConfig::default(), TURNS);
    bencher.bench_local(|| postcard::to_stdvec(&t.mind).map(|bytes| bytes.len()));
}

/// A thousand decisions of a template in which it looks at everything, and mostly finds nothing to do.
#[divan::bench(args = Template::ALL, sample_count = 200)]
fn thousand_decisions(bencher: Bencher<'_, '_>, template: Template) {
    let market = market();
    let config = PolicyConfig { template, cooldown_ticks: 1, ..Default::default() };
    let mut t = Turns { mind: Mind::default(), out: Vec::new(), turn: 0 };
    for _ in 0..4 {
        run(&mut t, &market, &config, TURNS);
    }
    let (holdings, value) = held();
    bencher.counter(divan::counter::ItemsCount::new(1_000u64)).bench_local(|| {
        for _ in 0..1_000 {
            t.turn += 1;
            let now = VirtualTime(0).after(Elapsed::nominal(t.turn));
            divan::black_box(t.mind.decide(now, &holdings, &value, &Permissions::ALL, &config));
        }
    });
}

fn held() -> (Holdings, Valuation) {
    let holdings = Holdings {
        capital: Usdc::whole(25),
        asset: Asset(7_500_000_000_000_000),
        liquidity: 1_000,
        fees: Usdc(1_000),
        in_range: true,
        ..Default::default()
    };
    (holdings, Valuation { nav: Usdc::whole(50), liquidity: Usdc::whole(5) })
}

fn run(t: &mut Turns, market: &[Observation], config: &PolicyConfig, turns: u64) {
    let (holdings, value) = held();
    for _ in 0..turns {
        t.turn += 1;
        t.out.clear();
        let now = VirtualTime(0).after(Elapsed::nominal(t.turn));
        t.mind.sense(&market[(t.turn % TURNS) as usize], now, Learning::FULL, &mut t.out);
        t.mind.forecast(now);
        divan::black_box(t.mind.decide(now, &holdings, &value, &Permissions::ALL, config));
    }
}
