//! Benchmarks of the information diagnostics: `cargo bench -p golem-mortality --bench info`.

use golem_mortality::info::{InfoConfig, InfoSeen, InfoState, KsgSample, Pair, SurrogatePlan, judge};

fn main() {
    divan::main();
}

fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn gaussian(next: &mut dyn FnMut() -> f64) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - next()));
    radius * libm::cos(std::f64::consts::TAU * next())
}

/// Columns of a 3-axis action and a 2-axis response that follows its first axis.
fn columns(n: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut next = uniform(7);
    let mut draw = || -> Vec<f64> { (0..n).map(|_| gaussian(&mut next)).collect() };
    let x = vec![draw(), draw(), draw()];
    let y = vec![x[0].iter().zip(draw()).map(|(a, e)| 0.5 * a + e).collect(), draw()];
    (x, y)
}

#[divan::bench(args = [250, 1000])]
fn sample(bencher: divan::Bencher<'_, '_>, n: usize) {
    let (x, y) = columns(n);
    bencher.bench_local(|| KsgSample::standardised(x.clone(), y.clone(), 1e-10, &mut || 0.5));
}

#[divan::bench(args = [250, 1000, 2000])]
fn ksg_3_by_2(bencher: divan::Bencher<'_, '_>, n: usize) {
    let (x, y) = columns(n);
    let sample = KsgSample::standardised(x, y, 1e-10, &mut || 0.5);
    bencher.bench_local(|| sample.bits(3));
}

#[divan::bench(args = [1000])]
fn ksg_1_by_1(bencher: divan::Bencher<'_, '_>, n: usize) {
    let (x, y) = columns(n);
    let sample = KsgSample::standardised(vec![x[0].clone()], vec![y[0].clone()], 1e-10, &mut || 0.5);
    bencher.bench_local(|| sample.bits(3));
}

/// What an independent window costs to be judged: the sequential test stops early.
#[divan::bench]
fn surrogates_independent(bencher: divan::Bencher<'_, '_>) {
    let (x, _) = columns(1_000);
    let mut next = uniform(11);
    let mut draw = || -> Vec<f64> { (0..1_000).map(|_| gaussian(&mut next)).collect() };
    let sample = KsgSample::standardised(x, vec![draw(), draw()], 1e-10, &mut || 0.5);
    let bits = sample.bits(3).unwrap_or(0.0);
    bencher.bench_local(|| judge(&sample, bits, 3, &SurrogatePlan::default(), &mut uniform(3), &mut |_| true));
}

/// 10,000 ticks of a coupled life: twenty estimates and the rare surrogates.
#[divan::bench(sample_count = 10)]
fn ten_thousand_ticks(bencher: divan::Bencher<'_, '_>) {
    let (x, y) = columns(10_000);
    let config = InfoConfig::default();
    bencher.bench_local(|| {
        let mut state = InfoState::default();
        let mut next = uniform(5);
        for i in 0..10_000 {
            state.push(Pair { action: [x[0][i], x[1][i], x[2][i]], response: [y[0][i], y[1][i]] }, &config);
            let seen = InfoSeen { nominal_tick: i as u64 + 1, composite: 0.8 };
            divan::black_box(state.update(seen, &config, &mut next));
        }
        state
    });
}
