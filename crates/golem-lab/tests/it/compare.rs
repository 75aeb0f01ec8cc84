//! Paired lives: what differs shows, what does not is exactly nothing, and neither threads nor shards nor interruptions
//! change a byte of the rows.

use golem_core::{Hash, Usdc};
use golem_lab::compare::{
    ArmSettings, CompareError, CompareFolder, ComparePlan, LifeOf, LifeRow, PairedLives, Shard, UntilNarrow, Unwatched,
    Watching, WorldSource, merged, settings_hash, table,
};
use golem_lab::stats::{JudgedOutcome, Judging, judge, wanted_paths};
use golem_lab::world::{CsvOptions, SyntheticConfig};
use golem_life::Settings;
use golem_mortality::config::Deaths;
use golem_venue::market::MarketConfig;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A life in lab mode.
pub fn settings(change: impl FnOnce(&mut Settings)) -> ArmSettings {
    let mut life = Settings::default();
    life.mortality.deaths = Deaths::Recorded;
    life.diagnostics.enabled = false;
    change(&mut life);
    ArmSettings { life, market: MarketConfig::default(), synthetic: SyntheticConfig::default() }
}

pub fn comparison(worlds: &[&str], arms: Vec<(&str, ArmSettings)>, seeds: u64, days: u64) -> PairedLives {
    let (arms, settings): (Vec<&str>, Vec<ArmSettings>) = arms.into_iter().unzip();
    let settings = vec![settings];
    let open = |word: &&str| WorldSource::open(word, days, &CsvOptions::default()).expect("a world");
    let sources: Vec<WorldSource> = worlds.iter().map(open).collect();
    let plan = ComparePlan {
        worlds: worlds.iter().map(ToString::to_string).collect(),
        templates: vec![settings[0][0].life.policy.template.to_string()],
        arms: arms.into_iter().map(ToOwned::to_owned).collect(),
        sets: Vec::new(),
        first_seed: 11,
        seeds,
        days,
        budget: Usdc::whole(10_000),
        skill_level: 0.05,
        margins: BTreeMap::new(),
        settings: settings_hash(&settings),
        data: sources.iter().filter_map(WorldSource::data).collect(),
        stretches: Default::default(),
        model: false,
        best: None,
        judged: Vec::new(),
        until: None,
        widened: None,
        binary: Hash::of(b"this program"),
    };
    plan.check().expect("a sound plan");
    PairedLives { plan, settings, sources }
}

/// Memory on and off, in the default world.
fn memory(seeds: u64, days: u64) -> PairedLives {
    let off = settings(|life| life.grimoire.enabled = false);
    comparison(&["default"], vec![("on", settings(|_| ())), ("off", off)], seeds, days)
}

pub fn rows(comparison: &PairedLives, threads: usize) -> Vec<LifeRow> {
    comparison.rows(Shard::WHOLE, None, threads, &Unwatched).expect("lived")
}

/// Hourly bars of a made-up market.
fn bars(path: &Path, hours: i64) {
    let mut text = "timestamp,open,high,low,close,volume\n".to_owned();
    let (mut price, mut state) = (2_000.0_f64, 7_u64);
    for n in 0..hours {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (open, step) = (price, (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5);
        price *= 1.0 + 0.02 * step;
        let (high, low) = (open.max(price) * 1.002, open.min(price) * 0.998);
        writeln!(text, "{},{open},{high},{low},{price},900", 1_640_995_200 + n * 3_600).expect("text");
    }
    std::fs::write(path, text).expect("written");
}

#[test]
fn arms_that_differ_in_nothing_do_not_differ() {
    // A key that no life of these ever reads makes another hash, another name and another account, and the same life.
    let same = settings(|life| life.thinking.daily_calls = 7);
    let all = rows(&comparison(&["default", "flat"], vec![("a", settings(|_| ())), ("b", same)], 2, 1), 2);
    assert_eq!(all.len(), 8);
    let mut never = 0;
    for pair in all.chunks(2) {
        assert_eq!((pair[0].arm.as_str(), pair[1].arm.as_str(), pair[0].path), ("a", "b", pair[1].path));
        assert_eq!(pair[0].values, pair[1].values);
        assert!(pair[0].value("trades").is_some());
        // A share of the naive loss: a day's is never many times that, and every panel that forecasts a number has one.
        for domain in ["price_direction", "volatility_regime", "yield_trend", "gas_condition"] {
            let skill = pair[0].value(&format!("skill.{domain}"));
            assert!(skill.is_some_and(|s| (-1.0..1.0).contains(&s)), "{domain}: {skill:?}");
            // Who is far from the level of .05 at the end has reached it no sooner than that, and is not left out.
            if skill < Some(0.03) {
                let end = pair[0].value("lifespan_days").map(|days| (days * 2_160.0).round());
                assert_eq!(pair[0].value(&format!("ticks_to_skill.{domain}")), end, "{domain}");
                never += 1;
            }
        }
    }
    assert!(never > 0, "in one day nobody foretells the price");
    assert_ne!(all[0].values, all[2].values, "another path is another life");
}

#[test]
fn neither_threads_nor_a_second_run_change_a_byte() {
    let comparison = memory(3, 1);
    let once = table::to_csv(&rows(&comparison, 1));
    assert_eq!(once, table::to_csv(&rows(&comparison, 3)));
    assert_eq!(table::to_csv(&table::from_csv(&once).expect("readable")), once, "there and back to the bit");
}

#[test]
fn an_arm_that_never_trades_shows_it() {
    let idle = settings(|life| life.mind.trading = false);
    let all = rows(&comparison(&["default"], vec![("trades", settings(|_| ())), ("idle", idle)], 3, 2), 2);
    for pair in all.chunks(2) {
        let (trades, idle) = (&pair[0], &pair[1]);
        assert!(trades.value("trades") > Some(0.0) && trades.value("exposure") > Some(0.0));
        assert!(trades.value("turnover") > Some(0.0) && trades.value("gas") > Some(0.0));
        for none in ["trades", "turnover", "gas", "fees", "exposure", "worth_vs_nothing"] {
            assert_eq!(idle.value(none), Some(0.0), "{none}: it paid its rent and did nothing else");
        }
        // Phases differ a little, and with them how long a turn is.
        let rents = idle.value("rent").zip(trades.value("rent"));
        assert!(rents.is_some_and(|(a, b)| a > 0.0 && (a / b - 1.0).abs() < 0.05), "{rents:?}");
        let (a, b) = (trades.value("worth_vs_holding"), idle.value("worth_vs_holding"));
        let apart = a.zip(b).map(|(a, b)| a - b).expect("both are held against the same");
        assert!(
            (apart - trades.value("worth_vs_nothing").expect("a worth")).abs() < 1e-3,
            "by about what trading brought"
        );
    }
}

#[test]
fn windows_of_a_record_are_the_same_for_every_arm() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("bars.csv");
    bars(&file, 24 * 30);
    let world = format!("csv:{}", file.display());
    let same = settings(|life| life.thinking.daily_calls = 7);
    let all = rows(&comparison(&[&world], vec![("a", settings(|_| ())), ("b", same)], 4, 5), 2);
    let held: Vec<_> = all.iter().map(|row| row.value("worth_vs_holding")).collect();
    assert!(all.chunks(2).all(|pair| pair[0].values == pair[1].values));
    assert!(held.chunks(2).collect::<Vec<_>>().windows(2).all(|two| two[0] != two[1]), "each path has its own window");
    assert!(all.iter().all(|row| row.value("lifespan_days") <= Some(5.0)));
    let longer = WorldSource::open(&world, 31, &CsvOptions::default());
    assert!(matches!(longer, Err(CompareError::TooShort { .. })), "no life is longer than its record");
}

/// Stops the comparison after so many lives.
struct StopAfter(AtomicU64);

impl Watching for StopAfter {
    fn turned(&self, _turns: u64) {}
    fn lived(&self, _of: LifeOf, _row: &LifeRow) -> Result<(), CompareError> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(CompareError::NoShard("stopped here".into())),
            _ => Ok(()),
        }
    }
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(path).expect("a file")
}

#[test]
fn what_was_broken_off_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let (comparison, at) = (memory(3, 1), dir.path().join("all"));
    let whole = table::to_csv(&rows(&comparison, 2));
    let open = || CompareFolder::open(&at, &comparison.plan, Shard::WHOLE).expect("its own folder");
    let broken = comparison.rows(Shard::WHOLE, Some(&open()), 1, &StopAfter(AtomicU64::new(2)));
    assert!(broken.is_err() && !at.join("rows.csv").exists());
    // The power goes in the middle of a line.
    let part = read(at.join("rows.part.csv"));
    assert_eq!(part.lines().count(), 4, "a head and three lives");
    std::fs::write(at.join("rows.part.csv"), &part[..part.len() - 9]).expect("torn");
    let folder = open();
    assert_eq!(folder.done.len(), 2);
    comparison.rows(Shard::WHOLE, Some(&folder), 2, &Unwatched).expect("gone on with");
    assert_eq!(read(at.join("rows.csv")), whole);
    assert!(!at.join("rows.part.csv").exists());
    // Once it is over nobody lives again, and another plan is kept out.
    assert_eq!(open().done.len(), 6);
    let other = CompareFolder::open(&at, &memory(4, 1).plan, Shard::WHOLE).expect_err("another plan");
    assert!(other.to_string().contains("other seeds") && other.hint().contains("--out"), "{other}");
}

/// What is judged and how narrow it must become belong to the plan, and only a width asks for more paths: the rows of those that
/// there were are what they were.
#[test]
fn only_widths_ask_for_more_paths() {
    let dir = tempfile::tempdir().expect("a folder");
    let (at, mut comparison) = (dir.path().join("all"), memory(4, 1));
    comparison.plan.judged = vec!["trades".to_owned(), "exposure".to_owned()];
    let until = |width: f64, most| UntilNarrow { widths: BTreeMap::from([("exposure".to_owned(), width)]), most };
    comparison.plan.until = Some(until(1e-9, 7));
    comparison.plan.check().expect("a sound plan");
    let hash = comparison.plan.hash();
    let live = |comparison: &PairedLives| {
        let folder = CompareFolder::open(&at, &comparison.plan, Shard::WHOLE).expect("its own folder");
        (comparison.rows(Shard::WHOLE, Some(&folder), 2, &Unwatched).expect("lived"), folder)
    };
    let few = live(&comparison).0;
    assert!(few.len() == 8 && !at.join("rows.csv").exists(), "it may not be over yet");
    let fixed = comparison.plan.clone();
    let lines = |rows: &[LifeRow], shift: f64| {
        let moved: Vec<LifeRow> = rows
            .iter()
            .cloned()
            .map(|mut row| {
                let on = row.arm == "on";
                let values = row.values.iter_mut().filter(|(name, _)| name.as_str() == "exposure");
                values.for_each(|(_, x)| *x = x.map(|x| if on { x + shift } else { x }));
                row
            })
            .collect();
        let kinds = fixed.outcomes().into_iter().filter(|kind| fixed.judges(kind.name.as_str()));
        judge(&moved, &Judging::new("on", kinds.map(|kind| JudgedOutcome::from(&kind)).collect())).expect("lines")
    };
    // Whatever the sign: the same width asks for the same number, and there is an end.
    for shift in [0.0, 5.0, -5.0] {
        assert_eq!(wanted_paths(&comparison.plan, &lines(&few, shift)), Some(7), "{shift}");
    }
    let wide = ComparePlan { until: Some(until(1e9, 7)), ..comparison.plan.clone() };
    assert_eq!(wanted_paths(&wide, &lines(&few, 0.0)), None, "narrow enough");
    comparison.plan.widened = Some(7);
    let (rows, folder) = live(&comparison);
    assert_eq!((rows.len(), &rows[..8]), (14, &few[..]), "nobody lives again");
    assert!(comparison.plan.hash() == hash && wanted_paths(&comparison.plan, &lines(&rows, 0.0)).is_none());
    folder.finish(&rows).expect("written");
    let (plan, all) = merged(&[at]).expect("whole");
    assert_eq!((plan.paths(), table::to_csv(&all)), (7, table::to_csv(&rows)));

    let wrong = |change: &dyn Fn(&mut ComparePlan)| {
        let mut plan = ComparePlan { widened: None, ..comparison.plan.clone() };
        change(&mut plan);
        plan.check().expect_err("unsound").to_string()
    };
    assert!(wrong(&|plan| plan.until = Some(until(0.0, 7))).contains("no width"));
    assert!(wrong(&|plan| plan.until = Some(until(0.1, 3))).contains("at most"));
    assert!(wrong(&|plan| plan.judged.truncate(1)).contains("is not judged"));
    assert!(wrong(&|plan| plan.judged[0] = "happiness".to_owned()).contains("no outcome"));
}

#[test]
fn merged_shards_are_what_one_machine_writes() {
    let dir = tempfile::tempdir().expect("a folder");
    let comparison = memory(5, 1);
    let live = |comparison: &PairedLives, shard: Shard, name: &str| {
        let at = dir.path().join(name);
        let folder = CompareFolder::open(&at, &comparison.plan, shard).expect("a folder");
        comparison.rows(shard, Some(&folder), 2, &Unwatched).expect("lived");
        at
    };
    let shard = |number| Shard { number, of: 3 };
    let parts: Vec<PathBuf> = (1..=3).map(|n| live(&comparison, shard(n), &format!("part-{n}"))).collect();
    let (plan, all) = merged(&[parts[2].clone(), parts[0].clone(), parts[1].clone()]).expect("whole");
    assert_eq!(plan, comparison.plan);
    assert_eq!(table::to_csv(&all), table::to_csv(&rows(&comparison, 1)));

    let said = |dirs: &[PathBuf]| merged(dirs).expect_err("not one comparison").to_string();
    assert!(said(&parts[..2]).contains("missing: 3/3"));
    assert!(said(&[parts[0].clone(), parts[0].clone()]).contains("holds already"));
    let another = live(&memory(5, 2), shard(2), "another");
    assert!(said(&[parts[0].clone(), another]).contains("another plan"));
    let mut newer = memory(5, 1);
    newer.plan.binary = Hash::of(b"another program");
    let newer = live(&newer, shard(2), "newer");
    assert!(said(&[parts[0].clone(), newer]).contains("another program"));
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_hint() {
    let sound = memory(2, 1).plan;
    let wrong = |change: &dyn Fn(&mut ComparePlan)| {
        let mut plan = sound.clone();
        change(&mut plan);
        let e = plan.check().expect_err("unsound");
        assert!(!e.hint().is_empty());
        e.to_string()
    };
    assert!(wrong(&|plan| plan.seeds = 0).contains("at least one path"));
    assert!(wrong(&|plan| plan.days = 0).contains("at least a day"));
    assert!(wrong(&|plan| plan.arms.truncate(1)).contains("one arm"));
    assert!(wrong(&|plan| plan.arms[1] = plan.arms[0].clone()).contains("named twice"));
    assert!(wrong(&|plan| plan.margins = BTreeMap::from([("happiness".to_owned(), 1.0)])).contains("no outcome"));
    assert!(wrong(&|plan| plan.margins = BTreeMap::from([("trades".to_owned(), f64::NAN)])).contains("no margin"));
    for word in ["0/3", "4/3", "2", "a/b", ""] {
        assert!(Shard::parse(word).is_err(), "{word}");
    }
    let nowhere = WorldSource::open("atlantis", 1, &CsvOptions::default()).err().expect("no such world");
    assert!(nowhere.to_string().contains("atlantis") && nowhere.to_string().contains("default"));
}
