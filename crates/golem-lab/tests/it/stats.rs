//! Paired differences, intervals that hold for a page at once, and verdicts, against other people's figures and against
//! chance.

#![allow(clippy::print_stderr, reason = "tests say what they measured")]

use golem_core::dice::{Dice, Draws, Strand};
use golem_lab::compare::{LifeRow, Preferred};
use golem_lab::stats::needed::{more_units, units_to_see};
use golem_lab::stats::{ComparisonLine, JudgedOutcome, Judging, LineVerdict, PairingError, PathCluster, judge};

/// The rows of two arms whose differences are given: by line, then by path; `None` where the second arm has no value.
fn rows(lines: &[Vec<Option<f64>>]) -> Vec<LifeRow> {
    let paths = lines[0].len();
    let name = |line: usize| format!("line{line}").as_str().into();
    let of = |arm: &str, path: usize, value: &dyn Fn(usize) -> Option<f64>| LifeRow {
        world: "somewhere".into(),
        template: "any".into(),
        arm: arm.into(),
        path: path as u64,
        values: (0..lines.len()).map(|line| (name(line), value(line))).collect(),
        cause: None,
    };
    (0..paths).flat_map(|path| [of("off", path, &|_| Some(0.0)), of("on", path, &|line| lines[line][path])]).collect()
}

fn plan(lines: usize, margin: f64) -> Judging {
    let outcome =
        |n: usize| JudgedOutcome { name: format!("line{n}").as_str().into(), preferred: Preferred::More, margin };
    Judging { resamples: 1_000, ..Judging::new("off", (0..lines).map(outcome).collect()) }
}

fn all(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

fn normal(draws: &mut Draws) -> f64 {
    draws.normals().0
}

fn close(found: f64, known: f64) -> bool {
    (found - known).abs() <= 1e-9 * known.abs().max(1e-3)
}

/// `scipy.stats.ttest_rel(a, b).confidence_interval(0.95)`, and at 0.975 where two lines share the level.
#[test]
fn few_paths_have_the_interval_of_scipy() {
    let a = [0.012, -0.004, 0.031, 0.007, -0.011, 0.018, 0.002, 0.009, -0.001, 0.025];
    let b = [0.010, 0.001, 0.024, 0.009, -0.017, 0.011, 0.004, 0.001, 0.003, 0.016];
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let one = &judge(&rows(&[all(&d)]), &plan(1, 0.01)).unwrap()[0];
    assert!(close(one.mean, 0.0026000000000000007) && close(one.low, -0.0012773253520669148), "{one:?}");
    assert!(close(one.high, 0.006477325352066916) && one.verdict == LineVerdict::NoDifference, "{one:?}");
    let two = &judge(&rows(&[all(&d), all(&d)]), &plan(2, 0.01)).unwrap()[1];
    assert!(close(two.low, -0.0020020943187070584) && close(two.high, 0.007202094318707064), "{two:?}");
}

/// `statsmodels.OLS(d, ones).fit(cov_type="cluster")` with clusters of 2, 3, 1 and 2, and Student's quantile with 3 degrees.
#[test]
fn windows_are_drawn_and_not_lives() {
    let d = [0.5, 0.7, -0.2, 0.1, 0.3, 1.1, 0.9, -0.4];
    let mut lives = rows(&[all(&d)]);
    for row in &mut lives {
        row.path = [0, 1, 3, 4, 5, 6, 9, 10][row.path as usize];
    }
    let together =
        |n: u64| vec![PathCluster { world: "somewhere".into(), ground: (0..200).map(|p| (p, p / n)).collect() }];
    let clusters = together(3);
    let line = &judge(&lives, &Judging { clusters, ..plan(1, 1.0) }).unwrap()[0];
    assert!(close(line.mean, 0.375) && close(line.deviation / 2.0, 0.18519415487536317), "{line:?}");
    assert!(close(line.low, -0.21437045394323828) && (line.pairs, line.units) == (8, 4), "{line:?}");
    // Twenty-four windows of eight lives that all say the same are twenty-four voices.
    let mut draws = Dice::open(3, Strand::World).draws(0);
    let voices: Vec<f64> = (0..24).map(|_| normal(&mut draws)).collect();
    let lives: Vec<f64> = (0..24 * 8).map(|path| voices[path / 8]).collect();
    let clusters = together(8);
    let eightfold = &judge(&rows(&[all(&lives)]), &Judging { clusters, ..plan(1, 1.0) }).unwrap()[0];
    let single = &judge(&rows(&[all(&voices)]), &plan(1, 1.0)).unwrap()[0];
    assert!(close(eightfold.low, single.low) && close(eightfold.high, single.high), "{eightfold:?}\n{single:?}");
    let naive = &judge(&rows(&[all(&lives)]), &plan(1, 1.0)).unwrap()[0];
    assert!(naive.width().half < 0.5 * single.width().half);
}

#[test]
fn identical_arms_differ_by_exactly_nothing() {
    let lines = judge(&rows(&[all(&[0.0; 40]), all(&[0.0; 40])]), &plan(2, 0.001)).unwrap();
    for line in lines {
        assert_eq!([line.mean, line.low, line.high].map(f64::to_bits), [0.0f64.to_bits(); 3]);
        assert!(line.is_identical && line.verdict == LineVerdict::NoDifference && line.is_not_worse());
    }
}

/// What lines share does not count twice: ten times the same line is as wide as one; ten that have nothing to do with each
/// other are as wide as Sidak's quantile, `scipy.stats.t.ppf(1 - (1 - .95 ** (1 / 10)) / 2, 199)` = 2.831.
#[test]
fn lines_of_one_page_are_drawn_together() {
    let mut draws = Dice::open(11, Strand::World).draws(0);
    let lines: Vec<Vec<Option<f64>>> = (0..10).map(|_| (0..200).map(|_| Some(normal(&mut draws))).collect()).collect();
    let one = judge(&rows(&lines[..1]), &plan(1, 1.0)).unwrap()[0].critical;
    let same = judge(&rows(&vec![lines[0].clone(); 10]), &plan(10, 1.0)).unwrap();
    assert!(same.iter().all(|line| close(line.critical, one)), "{one} {}", same[0].critical);
    assert!((one - 1.972).abs() < 0.12, "{one}");
    let apart = judge(&rows(&lines), &Judging { resamples: 4_000, ..plan(10, 1.0) }).unwrap()[0].critical;
    assert!((apart - 2.831).abs() < 0.15, "{apart}");
}

/// A page of lines that share half of their noise; one path in ten differs `shock` times as much.
fn page(draws: &mut Draws, truths: &[f64], paths: usize, shock: f64) -> Vec<Vec<Option<f64>>> {
    let mut lines = vec![Vec::new(); truths.len()];
    for _ in 0..paths {
        let common = normal(draws);
        for (line, truth) in lines.iter_mut().zip(truths) {
            let scale = if draws.uniform() < 0.1 { shock } else { 1.0 };
            line.push(Some(truth + 0.7 * common + 0.7 * scale * normal(draws)));
        }
    }
    lines
}

/// Shares of pages on which all intervals hold, all would hold that are made for one line each, and no verdict is false.
fn held(pages: u64, shock: f64) -> [f64; 3] {
    let (truths, margin) = ([0.0, 0.0, 0.4, -0.4, 0.1, 1.0], 0.5);
    let dice = Dice::open(5, Strand::World);
    let mut shares = [0.0; 3];
    for n in 0..pages {
        let lines = page(&mut dice.draws(n), &truths, 40, shock);
        let told = judge(&rows(&lines), &Judging { seed: n, resamples: 400, ..plan(6, margin) }).unwrap();
        let all =
            |holds: &dyn Fn(&ComparisonLine, f64) -> bool| told.iter().zip(truths).all(|(line, t)| holds(line, t));
        let single = |line: &ComparisonLine| 2.02 * line.deviation / (line.units as f64).sqrt();
        let found = [
            all(&|line, truth| line.low <= truth && truth <= line.high),
            all(&|line, truth| (line.mean - truth).abs() <= single(line)),
            all(&|line, truth| match line.verdict {
                LineVerdict::Better => truth > 0.0,
                LineVerdict::Worse => truth < 0.0,
                LineVerdict::NoDifference => truth.abs() <= margin,
                _ => true,
            }),
        ];
        shares.iter_mut().zip(found).for_each(|(share, held)| *share += f64::from(u8::from(held)) / pages as f64);
    }
    eprintln!(
        "shocks x{shock}: all hold {:.4}, single ones {:.4}, no false verdict {:.4}",
        shares[0], shares[1], shares[2]
    );
    shares
}

#[test]
fn all_intervals_of_a_page_hold_at_once_and_verdicts_are_seldom_false() {
    let pages = if std::env::var_os("BARDO_LONG").is_some() { 4_000 } else { 250 };
    let error = (0.05f64 * 0.95 / pages as f64).sqrt();
    let [calm, single, honest] = held(pages, 1.0);
    assert!((calm - 0.95).abs() < 3.0 * error + 0.005, "{calm}");
    assert!(honest > 0.95 - 3.0 * error && single < 0.9, "{honest} {single}");
    // Where a few paths differ wildly it errs on the wide side.
    let [wild, _, honest] = held(pages, 4.0);
    assert!(wild > 0.95 - 3.0 * error && honest > 0.95 - 3.0 * error, "{wild} {honest}");
}

/// A deviation of 1 % and one line: about 30 paths see 0.5 %, about 200 see 0.2 %, four times out of five.
#[test]
fn the_needed_number_of_paths_sees_the_margin() {
    let (one, half) = (1.959963984540054, 0.005);
    assert_eq!([units_to_see(0.005, 0.01, one), units_to_see(0.002, 0.01, one)], [Some(32), Some(197)]);
    assert_eq!(units_to_see(0.0, 0.01, one), None);
    let dice = Dice::open(8, Strand::World);
    let seen = (0..400).filter(|n| {
        let mut draws = dice.draws(*n);
        let d: Vec<Option<f64>> = (0..32).map(|_| Some(half + 0.01 * normal(&mut draws))).collect();
        judge(&rows(&[d]), &Judging { resamples: 200, ..plan(1, half) }).unwrap()[0].verdict == LineVerdict::Better
    });
    let share = seen.count() as f64 / 400.0;
    assert!((share - 0.8).abs() < 0.08, "{share}");
    // And it says so itself where it cannot tell.
    let mut draws = dice.draws(1_000);
    let d: Vec<Option<f64>> = (0..30).map(|_| Some(0.01 * normal(&mut draws))).collect();
    let line = &judge(&rows(&[d]), &plan(1, 0.001)).unwrap()[0];
    let LineVerdict::CannotTell { needed: Some(needed) } = line.verdict else { panic!("{line:?}") };
    assert!((400..1_400).contains(&needed), "{needed}");
}

/// Only the width may ask for more: the same noise around another mean asks for the same number.
#[test]
fn the_sign_never_extends_a_comparison() {
    let mut draws = Dice::open(9, Strand::World).draws(0);
    let noise: Vec<f64> = (0..64).map(|_| normal(&mut draws)).collect();
    let more = |shift: f64| {
        let d: Vec<f64> = noise.iter().map(|x| x + shift).collect();
        let line = &judge(&rows(&[all(&d)]), &plan(1, 0.1)).unwrap()[0];
        more_units(&[(line.width(), line.width().half / 2.0), (line.width(), 9.0)]).unwrap()
    };
    assert_eq!([more(0.0), more(-3.0), more(0.3)], [64 * 3; 3]);
}

#[test]
fn which_way_is_good_belongs_to_the_outcome() {
    let up: Vec<f64> = (0..40).map(|n| 1.0 + 0.01 * f64::from(n % 7)).collect();
    let verdict = |preferred, d: &[f64]| {
        let mut plan = plan(1, 0.1);
        plan.outcomes[0].preferred = preferred;
        judge(&rows(&[all(d)]), &plan).unwrap().remove(0)
    };
    let down: Vec<f64> = up.iter().map(|d| -d).collect();
    use LineVerdict::{Better, Higher, Lower, Worse};
    for (preferred, for_up, for_down) in
        [(Preferred::More, Better, Worse), (Preferred::Less, Worse, Better), (Preferred::Neither, Higher, Lower)]
    {
        assert_eq!((verdict(preferred, &up).verdict, verdict(preferred, &down).verdict), (for_up, for_down));
    }
    assert!(verdict(Preferred::More, &up).is_not_worse() && !verdict(Preferred::Less, &up).is_not_worse());
}

/// A line whose differences have long tails is wide itself and widens no other: beside twenty of them a plain line is as wide
/// as beside twenty plain ones.
#[test]
fn long_tails_widen_their_own_line_only() {
    let mut draws = Dice::open(21, Strand::World).draws(0);
    let plain: Vec<Vec<f64>> = (0..21).map(|_| (0..60).map(|_| normal(&mut draws)).collect()).collect();
    // Nearly nothing, and now and then a great deal, always to the same side.
    let tailed = |line: &Vec<f64>| line.iter().map(|x| if *x > 0.8 { 20.0 * x } else { 0.01 * x }).collect::<Vec<_>>();
    let page = |others: Vec<Vec<f64>>| {
        let lines: Vec<_> = std::iter::once(&plain[0]).chain(&others).map(|line| all(line)).collect();
        let judging = Judging { resamples: 8_000, ..plan(lines.len(), 1.0) };
        judge(&rows(&lines), &judging).unwrap().iter().map(|line| line.critical).collect::<Vec<f64>>()
    };
    let (even, beside) = (page(plain[1..].to_vec()), page(plain[1..].iter().map(tailed).collect()));
    let widest = beside[1..].iter().copied().fold(0.0, f64::max);
    assert!(beside[0] < 1.15 * even[0], "{} beside long tails, {} beside plain lines", beside[0], even[0]);
    assert!(widest > 1.5 * beside[0], "long tails are seen: {widest}, {}", beside[0]);
}

/// One path in two hundred that differs is judged by its size, carefully, and does not widen the rest of the page.
#[test]
fn lines_that_hardly_ever_differ_are_judged_apart() {
    let mut draws = Dice::open(10, Strand::World).draws(0);
    let noise: Vec<f64> = (0..200).map(|_| normal(&mut draws)).collect();
    let rare = |size: f64| (0..200).map(|path| if path == 70 { size } else { 0.0 }).collect::<Vec<_>>();
    let told = judge(&rows(&[all(&noise), all(&rare(0.01)), all(&rare(90.0))]), &plan(3, 0.5)).unwrap();
    assert!(told[0].critical < 2.8, "{}", told[0].critical);
    assert_eq!(told[1].verdict, LineVerdict::NoDifference);
    assert!(matches!(told[2].verdict, LineVerdict::CannotTell { needed: Some(n) } if n > 200), "{:?}", told[2].verdict);
    // Nor does a line that is the same nearly everywhere widen the others.
    let stuck: Vec<f64> = (0..200).map(|path| if path % 70 == 0 { -4.0 } else { -3.0 }).collect();
    let told = judge(&rows(&[all(&noise), all(&stuck)]), &plan(2, 0.5)).unwrap();
    assert!(
        told[0].critical < 2.8 && told[1].verdict == LineVerdict::Worse,
        "{} {}",
        told[0].critical,
        told[1].verdict
    );
    // So is one that is nearly the same everywhere, though it is not zero.
    let shifted: Vec<f64> = (0..200).map(|path| if path % 70 == 1 { 1.2 } else { 1.0 }).collect();
    let told = judge(&rows(&[all(&noise), all(&shifted)]), &plan(2, 0.5)).unwrap();
    assert!(told[0].critical < 2.8 && told[1].verdict == LineVerdict::Better, "{} {:?}", told[0].critical, told[1]);
    // Two equal differences prove nothing, forty do.
    assert!(matches!(
        judge(&rows(&[all(&[1.0; 2])]), &plan(1, 0.5)).unwrap()[0].verdict,
        LineVerdict::CannotTell { .. }
    ));
    assert_eq!(judge(&rows(&[all(&[0.1; 40])]), &plan(1, 0.5)).unwrap()[0].verdict, LineVerdict::Better);
}

#[test]
fn rows_come_in_any_order_and_missing_ones_are_counted() {
    let mut draws = Dice::open(12, Strand::World).draws(0);
    let mut d: Vec<Option<f64>> = (0..60).map(|_| Some(normal(&mut draws))).collect();
    (d[3], d[9]) = (None, Some(f64::NAN));
    let lives = rows(&[d.clone(), vec![None; 60]]);
    let told = judge(&lives, &plan(2, 0.5)).unwrap();
    assert_eq!((told[0].pairs, told[0].unpaired, told[1].pairs, told[1].unpaired), (58, 2, 0, 60));
    assert!(matches!(told[1].verdict, LineVerdict::CannotTell { needed: None }));
    // Who has nothing to say takes no share of the level.
    let alone = judge(&rows(&[d]), &plan(1, 0.5)).unwrap();
    assert_eq!(alone[0].critical.to_bits(), told[0].critical.to_bits());
    let backwards: Vec<LifeRow> = lives.iter().rev().cloned().collect();
    assert_eq!(judge(&backwards, &plan(2, 0.5)).unwrap(), told);
    assert_ne!(
        judge(&lives, &Judging { seed: 1, ..plan(2, 0.5) }).unwrap()[0].critical.to_bits(),
        told[0].critical.to_bits()
    );
    let mut twice = lives.clone();
    twice.push(LifeRow { values: vec![("line0".into(), Some(7.0))], ..lives[5].clone() });
    assert!(matches!(judge(&twice, &plan(2, 0.5)), Err(PairingError::Twice { path: 2, .. })));
    let odd = Judging { against: "nobody".into(), ..plan(1, 0.5) };
    assert_eq!(judge(&lives, &odd), Err(PairingError::NothingAgainst("nobody".into())));
    assert!(judge(&lives, &Judging { level: 1.0, ..plan(1, 0.5) }).is_err());
    assert!(judge(&lives, &plan(1, 0.0)).is_err() && judge(&[], &plan(1, 0.5)).unwrap().is_empty());
}
