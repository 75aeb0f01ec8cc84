//! A slice of the trial: few paths, short, and golems that die young; at most 90 s of it. The whole is `bardo lab trial`.

use golem_core::{Hash, Usdc};
use golem_lab::compare::Shard;
use golem_lab::trial::{
    BlindKey, Contrast, Endings, Finding, LineLived, LineTerms, POOLED, StatisticsOnDisk, TRIAL_OUTCOMES, TrialArm,
    TrialCell, TrialData, TrialError, TrialFolder, TrialLine, TrialPlan, TrialRun, TrialStatistics, TrialVerdict,
    Tuning, statistics, tuned, verdict_of,
};
use golem_life::Settings;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the slice may take in all, whatever runs beside it.
const MOST: Duration = Duration::from_secs(90);

/// Counts what a test of it takes together with those before: a slice that has grown beyond its bound fails.
struct Slice(Instant);

impl Slice {
    fn begins() -> Self {
        Self(Instant::now())
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        static TOOK_MS: AtomicU64 = AtomicU64::new(0);
        let own = u64::try_from(self.0.elapsed().as_millis()).expect("not for ever");
        let all = Duration::from_millis(TOOK_MS.fetch_add(own, Ordering::Relaxed) + own);
        // Who fails already says why.
        assert!(
            all < MOST || std::thread::panicking(),
            "the slice of the trial takes {all:?}, and {MOST:?} are allowed"
        );
    }
}

/// They die after some twelve days, so that a short path has several deaths.
fn young() -> Settings {
    let mut settings = Settings::default();
    settings.mortality.stochastic.base_hazard_rate = 4e-5;
    settings
}

fn plan(paths: u64, days: u64, cells: Vec<TrialCell>) -> TrialPlan {
    TrialPlan {
        hypotheses: TrialPlan::hypotheses(),
        arms: TrialArm::ALL.to_vec(),
        contrasts: Contrast::ALL.to_vec(),
        cells,
        paths,
        first_seed: 1,
        days,
        budget: Usdc::whole(1_000),
        costs: true,
        frozen_after_days: 5,
        recovery_days: 5,
        tuning: Tuning { paths: 0, tried: Vec::new(), memory_days: 20 },
        primary: "forecast_loss".to_owned(),
        margins: BTreeMap::new(),
        level: 0.95,
        resamples: 400,
        sets: Vec::new(),
        settings: young().hash(),
        data: BTreeMap::new(),
        binary: Hash::of(b"this program"),
    }
}

fn cells() -> Vec<TrialCell> {
    let law = "gas-hours".to_owned();
    vec![
        TrialCell::Resampled { scale_percent: 150 },
        TrialCell::Turning { law: law.clone(), days: 8 },
        TrialCell::Crossed { scale_percent: 50, law, days: 8 },
        TrialCell::NegativeControl,
        TrialCell::PositiveControl,
    ]
}

/// Made once: it is a long history.
fn data() -> &'static TrialData {
    static MADE: std::sync::OnceLock<TrialData> = std::sync::OnceLock::new();
    MADE.get_or_init(|| TrialData::read(&[] as &[PathBuf], 10).expect("made"))
}

fn lived(dir: &Path, plan: &TrialPlan, shard: Shard, others: &[PathBuf]) -> TrialFolder {
    let (base, data) = (young(), data());
    let run = TrialRun { plan, base: &base, data };
    run.check().expect("sound");
    let mut folder = TrialFolder::open(dir, plan, shard, others).expect("a folder");
    folder.live(&run, 2, &|_| {}).expect("lived");
    folder
}

fn bytes(dir: &Path) -> (String, String) {
    let text = |name: &str| fs::read_to_string(dir.join(name)).expect("a finished table");
    (text("rows.csv"), text("deaths.csv"))
}

#[test]
fn interruptions_and_shards_change_no_byte_and_letters_say_nothing() {
    let _slice = Slice::begins();
    let (home, plan) = (tempfile::tempdir().expect("a folder"), plan(2, 20, cells()));
    let at = |name: &str| home.path().join(name);
    let begun = Instant::now();
    let whole = lived(&at("whole"), &plan, Shard::WHOLE, &[]);
    let (turns, seconds) = (plan.turns(), begun.elapsed().as_secs_f64());
    eprintln!("{turns} turns in {seconds:.1} s: {:.0} a second", turns as f64 / seconds);
    let (rows, deaths) = bytes(&at("whole"));
    assert!(whole.deaths().iter().any(|of| !of.is_empty()), "somebody died: {deaths}");

    // Half of it, cut off in the middle of a row: the rest is lived again, and everything is as it was.
    let cut = rows.len() * 3 / 5;
    fs::create_dir_all(at("cut")).expect("a folder");
    fs::copy(at("whole").join("plan.json"), at("cut").join("plan.json")).expect("copied");
    fs::write(at("cut").join("rows.part.csv"), &rows[..cut]).expect("written");
    fs::write(at("cut").join("deaths.part.csv"), &deaths).expect("written");
    let before = TrialFolder::open(&at("cut"), &plan, Shard::WHOLE, &[]).expect("it goes on").progress();
    assert!(before.0 > 0 && before.0 < before.1, "{before:?}");
    lived(&at("cut"), &plan, Shard::WHOLE, &[]);
    assert_eq!(bytes(&at("cut")), (rows.clone(), deaths.clone()));

    // Two shards, put together without living anything.
    let halves = [1, 2].map(|number| Shard { number, of: 2 });
    for half in halves {
        lived(&at(&format!("half-{}", half.number)), &plan, half, &[]);
    }
    let parts = [at("half-1"), at("half-2")];
    let merged = TrialFolder::open(&at("merged"), &plan, Shard::WHOLE, &parts).expect("the same plan");
    assert_eq!(merged.progress(), (10, 10), "nothing is left to live");
    lived(&at("merged"), &plan, Shard::WHOLE, &parts);
    assert_eq!(bytes(&at("merged")), (rows.clone(), deaths));

    // Letters until the statistics are on disk.
    let key = BlindKey::of(&plan);
    let questions: Vec<[String; 2]> = plan.contrasts.iter().map(|c| key.lettered(*c)).collect();
    let said = statistics(&plan, &whole.rows(), &questions).expect("judged");
    assert_eq!(said, statistics(&plan, &merged.rows(), &questions).expect("judged"));
    let text = serde_json::to_string(&said).expect("plain");
    for arm in TrialArm::ALL {
        assert!(!text.contains(arm.name()) && !rows.contains(arm.name()), "{}", arm.name());
        assert!(!text.contains(&format!("{arm:?}")), "{arm:?}");
    }
    let there = StatisticsOnDisk::written(&at("statistics.json"), &text).expect("written");
    assert_eq!(there.hash(), Hash::of(&fs::read(at("statistics.json")).expect("it is there")));
    let open = BlindKey::of(&plan).open(&there);
    assert_eq!(open.len(), 10);
    assert!(open.iter().all(|(letter, arm)| key.letter(*arm) == *letter));
    let other = TrialPlan { first_seed: 99, ..plan.clone() };
    let dealt = |plan: &TrialPlan| TrialArm::ALL.map(|arm| BlindKey::of(plan).letter(arm));
    assert_ne!(dealt(&plan), dealt(&other), "another plan deals other letters");

    // Folders of another plan are left alone.
    assert!(matches!(TrialFolder::open(&at("whole"), &other, Shard::WHOLE, &[]), Err(TrialError::Other { .. })));
}

/// One line of an arm in a world whose rules turn.
fn line(arm: TrialArm, plan: &TrialPlan, endings: Endings, base: &Settings) -> LineLived {
    let path = plan.cells[0].path(0, 1, plan.days, data()).expect("a path");
    let settings = arm.settings(base, plan.frozen_after_days, plan.tuning.memory_days);
    LineTerms { plan, arm, settings, path: &path, seed: 1, endings, stranger: &[], is_stranger: false }
        .live()
        .expect("lived")
}

#[test]
fn a_sham_death_without_costs_is_no_death_to_the_bit() {
    let _slice = Slice::begins();
    let cells = vec![TrialCell::Turning { law: "gas-hours".to_owned(), days: 8 }];
    let costly = plan(1, 30, cells);
    let free = TrialPlan { costs: false, ..costly.clone() };
    let base = young();
    let at = || Endings::At(vec![100, 333, 600]);
    let immortal = line(TrialArm::KeepsAll, &free, Endings::Never, &base);
    let sham = line(TrialArm::ShamDeath, &free, at(), &base);
    assert_eq!(sham.deaths, [100, 333, 600]);
    assert_eq!((sham.digest, sham.worth.to_bits()), (immortal.digest, immortal.worth.to_bits()));
    assert_eq!(sham.account, immortal.account);
    // With costs it is closed down and begun again: it pays, and what it expects of the market stays what it was.
    let paid = line(TrialArm::ShamDeath, &costly, at(), &base);
    assert_ne!(paid.digest, immortal.digest);
    assert!((paid.worth - immortal.worth).abs() > 0.0);
    let loss = |told: &LineLived| told.account.forecast_loss().expect("it forecast");
    assert!((loss(&paid) - loss(&immortal)).abs() < 0.05, "{} {}", loss(&paid), loss(&immortal));
}

#[test]
fn what_a_death_takes_is_taken_where_the_arm_says_so() {
    let _slice = Slice::begins();
    let cells = vec![TrialCell::Turning { law: "gas-hours".to_owned(), days: 60 }];
    let long = plan(1, 160, cells.clone());
    let (plan, base) = (plan(1, 40, cells), young());
    let loss = |told: &LineLived| told.account.forecast_loss().expect("it forecast");
    let keeps = line(TrialArm::KeepsAll, &plan, Endings::Never, &base);
    let often = Endings::At((1..13).map(|n| n * 72).collect());
    let forgets = line(TrialArm::MatchedForgetting, &plan, often.clone(), &base);
    // Where nothing turns, whoever begins anew every three days forecasts worse, and so does the line of newborns.
    assert!(loss(&forgets) > loss(&keeps) + 0.01, "{} {}", loss(&forgets), loss(&keeps));
    let dies = line(TrialArm::PermutedDeaths, &plan, often, &base);
    assert!(loss(&dies) > loss(&keeps) + 0.01, "{} {}", loss(&dies), loss(&keeps));
    assert!(dies.deaths.len() >= 11, "{:?}", dies.deaths);
    // What it begins with is all that it ever has.
    assert!(dies.worth > -0.5 && dies.worth < 0.5, "{}", dies.worth);
    let frozen = line(TrialArm::Frozen, &plan, Endings::Never, &base);
    assert_ne!(frozen.digest, keeps.digest);
    // The clocks end lives by themselves, and the same line is the same line.
    let mortal = line(TrialArm::Inherits, &plan, Endings::ByClocks, &base);
    assert!(!mortal.deaths.is_empty());
    assert_eq!(mortal, line(TrialArm::Inherits, &plan, Endings::ByClocks, &base));
    let alone = line(TrialArm::NoInheritance, &plan, Endings::ByClocks, &base);
    assert_eq!(alone.deaths[0], mortal.deaths[0], "until the first death they are the same");
    // What is inherited shows, and at which confidence; it takes lives of weeks, since a day has 24 turns here.
    let arms = [TrialArm::Inherits, TrialArm::NoInheritance, TrialArm::FlatInheritance];
    let [mortal, alone, flat] = arms.map(|arm| line(arm, &long, Endings::At(vec![1_440, 2_640]), &Settings::default()));
    assert_eq!((mortal.deaths.len(), &mortal.deaths, &mortal.deaths), (2, &alone.deaths, &flat.deaths));
    let losses = [&mortal, &alone, &flat].map(loss);
    let apart = |a: f64, b: f64| (a - b).abs() > 1e-9;
    assert!(apart(losses[0], losses[1]) && apart(losses[1], losses[2]), "{losses:?}");
    assert_ne!(mortal, flat);
}

#[test]
fn plans_that_were_changed_or_made_with_something_else_are_refused() {
    let _slice = Slice::begins();
    let (home, sound) = (tempfile::tempdir().expect("a folder"), plan(2, 20, cells()));
    let file = home.path().join("plan.json");
    sound.write(&file).expect("written");
    assert_eq!(TrialPlan::read(&file).expect("a plan"), sound);
    let text = fs::read_to_string(&file).expect("it is there");
    fs::write(&file, text.replace("\"paths\": 2", "\"paths\": 3")).expect("written");
    assert!(TrialPlan::read(&file).is_err(), "a changed plan");

    let (base, data) = (Settings::default(), data());
    let run = |plan| TrialRun { plan, base: &base, data }.check();
    assert!(matches!(run(&sound), Err(TrialError::Differs { .. })), "other settings");
    let same = TrialPlan { settings: base.hash(), ..sound.clone() };
    run(&same).expect("the same settings");
    let of_data = TrialPlan { data: BTreeMap::from([("eth.csv".to_owned(), Hash::of(b"x"))]), ..same.clone() };
    assert!(matches!(run(&of_data), Err(TrialError::Differs { .. })), "other data");
    let bad: [(&str, TrialPlan); 6] = [
        ("no path", TrialPlan { paths: 0, ..sound.clone() }),
        ("no control", TrialPlan { cells: cells()[..3].to_vec(), ..sound.clone() }),
        ("no world", TrialPlan { cells: cells()[3..].to_vec(), ..sound.clone() }),
        ("twice", TrialPlan { cells: [cells(), cells()].concat(), ..sound.clone() }),
        ("nine arms", TrialPlan { arms: TrialArm::ALL[1..].to_vec(), ..sound.clone() }),
        ("no outcome", TrialPlan { primary: "fame".to_owned(), ..sound.clone() }),
    ];
    for (what, plan) in bad {
        assert!(plan.check().is_err(), "{what}");
    }
    assert_eq!((TrialCell::all(true).len(), TrialCell::all(false).len()), (25, 20));
    TrialPlan { cells: TrialCell::all(true), ..sound }.check().expect("the whole trial is sound");
}

/// Statistics in which one line says this, for the pooled cell and for both controls.
fn said(plan: &TrialPlan, found: &[(&str, Contrast, Finding)]) -> TrialStatistics {
    let key = BlindKey::of(plan);
    let line = |(cell, contrast, finding): &(&str, Contrast, Finding)| TrialLine {
        cell: (*cell).to_owned(),
        letters: key.lettered(*contrast),
        outcome: "forecast_loss".to_owned(),
        mean: 0.0,
        low: None,
        high: None,
        margin: 0.01,
        pairs: 100,
        units: 100,
        finding: *finding,
        within_margin: *finding == Finding::NoDifference,
    };
    TrialStatistics {
        plan: plan.hash(),
        rows: Hash::default(),
        paths: 100,
        means: Vec::new(),
        lines: found.iter().map(line).collect(),
    }
}

#[test]
fn the_verdict_is_a_table_and_controls_void_it() {
    use Finding::{Better, CannotTell, NoDifference, Worse};
    use TrialVerdict::{ExplainedByForgetting, Falsified, Inconclusive, Supported, Void};
    let plan = plan(2, 20, cells());
    let home = tempfile::tempdir().expect("a folder");
    let there = StatisticsOnDisk::written(&home.path().join("s"), "written").expect("written");
    let verdict = |benefit, beyond, negative, positive| {
        let found = [
            (POOLED, Contrast::BENEFIT, benefit),
            (POOLED, Contrast::BEYOND_FORGETTING, beyond),
            ("negative-control", Contrast::BENEFIT, negative),
            ("positive-control", Contrast::LEARNING, positive),
        ];
        let key = BlindKey::of(&plan).open(&there);
        verdict_of(&said(&plan, &found), there.hash(), &plan.primary, key, false).verdict
    };
    for (benefit, beyond, expected) in [
        (Better, Better, Supported),
        (Better, NoDifference, ExplainedByForgetting),
        (Better, Worse, ExplainedByForgetting),
        (Better, CannotTell, Inconclusive),
        (NoDifference, Better, Falsified),
        (NoDifference, NoDifference, Falsified),
        (Worse, Better, Falsified),
        (Worse, CannotTell, Falsified),
        (CannotTell, Better, Inconclusive),
        (CannotTell, NoDifference, Inconclusive),
    ] {
        assert_eq!(verdict(benefit, beyond, Worse, Worse), expected, "{benefit:?} {beyond:?}");
        assert_eq!(verdict(benefit, beyond, Better, Worse), Void, "a gain where there is nothing to gain");
        assert_eq!(verdict(benefit, beyond, NoDifference, CannotTell), Void, "an instrument that sees nothing");
        assert_eq!(verdict(benefit, beyond, NoDifference, Better), Void);
    }
    let key = BlindKey::of(&plan).open(&there);
    let without = verdict_of(&said(&plan, &[]), there.hash(), &plan.primary, key, false);
    assert_eq!(without.verdict, Void, "controls that were not measured did not hold");
    assert_eq!(without.by_outcome.len(), TRIAL_OUTCOMES.len());
}

#[test]
fn a_gain_within_the_margin_is_none() {
    let plan = plan(2, 20, cells());
    let home = tempfile::tempdir().expect("a folder");
    let there = StatisticsOnDisk::written(&home.path().join("s"), "written").expect("written");
    let mut said = said(
        &plan,
        &[
            (POOLED, Contrast::BENEFIT, Finding::Better),
            (POOLED, Contrast::BEYOND_FORGETTING, Finding::Better),
            ("negative-control", Contrast::BENEFIT, Finding::Worse),
            ("positive-control", Contrast::LEARNING, Finding::Worse),
        ],
    );
    said.lines[0].within_margin = true;
    let key = BlindKey::of(&plan).open(&there);
    assert_eq!(verdict_of(&said, there.hash(), &plan.primary, key, false).verdict, TrialVerdict::Falsified);
}

#[test]
fn tuning_chooses_the_memory_that_lost_least_on_paths_of_its_own() {
    let _slice = Slice::begins();
    let plan = plan(1, 12, cells());
    let (base, data) = (young(), data());
    assert_eq!(tuned(&plan, &base, data, 0, 1).expect("nothing to do").memory_days, base.mind.memory_days);
    let found = tuned(&plan, &base, data, 1, 2).expect("tuned");
    let best = found.tried.iter().filter_map(|(days, loss)| Some((*days, (*loss)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    assert_eq!(Some(found.memory_days), best.map(|(days, _)| days), "{found:?}");
    assert!(found.tried.iter().all(|(_, loss)| loss.is_some()));
}
