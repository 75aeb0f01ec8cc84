//! The lab as a person uses it: what differs is told, shards make the whole, and what cannot be compared is refused with a
//! hint.

use crate::kit::Home;
use serde_json::Value;
use std::path::PathBuf;

/// Short lives: two paths of two days, a turn an hour.
const SHORT: [&str; 6] = ["--seeds", "2", "--days", "2", "--pace", "hour"];

fn compare<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["lab", "compare"].iter().chain(&SHORT).chain(more).copied().collect()
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn an_arm_that_never_trades_is_told_and_one_that_is_the_same_is_not() {
    let home = Home::new();
    let told = home.json(&compare(&["--switch", "mind.trading=true,false", "--switch", "fleet.hears=true,false"]));
    let lines = told.as_array().expect("lines");
    let of = |switch: &str, outcome: &str| -> Value {
        let is = |line: &&Value| line["switch"] == switch && line["outcome"] == outcome;
        lines.iter().find(is).unwrap_or_else(|| panic!("no line {switch} {outcome}")).clone()
    };
    let idle = of("mind.trading=false", "exposure");
    for field in ["world", "switch", "outcome", "n", "mean_difference", "low", "high", "verdict"] {
        assert!(idle.get(field).is_some(), "{field}");
    }
    assert!(idle["mean_against"].as_f64() > Some(0.0) && idle["mean_difference"].as_f64() < Some(0.0), "{idle}");
    for line in lines.iter().filter(|line| line["switch"] == "fleet.hears=false") {
        assert_eq!(line["mean_difference"].as_f64(), Some(0.0), "{line}");
        assert!(line["n"] == 0 || line["verdict"] == "no difference", "{line}");
    }
}

/// A comparison goes on by itself until its intervals are narrow, says so, and can be broken off anywhere.
#[test]
fn paths_are_added_until_intervals_are_narrow() {
    let home = Home::new();
    let out = home.path().join("narrow").display().to_string();
    let until = ["--switch", "mind.trading=true,false", "--outcomes", "trades", "--until", "trades=0.000001"];
    let args = [compare(&until), vec!["--most", "5", "--out", &out]].concat();
    let first = home.ok(&args);
    for words in
        ["after 2 paths an interval is wider than was wanted", "after 4 paths an interval is wider", "8 of 10 lives"]
    {
        assert!(first.err.contains(words), "{words}: {first:?}");
    }
    let again = home.ok(&args);
    assert!(again.err.contains("4 of 4 lives are there already") && again.out == first.out, "{again:?}");
    let page = read(PathBuf::from(&out).join("page.html"));
    assert!(
        page.contains("5 in each world") && page.contains("2 to begin with"),
        "the page says how it came to its paths"
    );
    let part = home.bardo(&[compare(&until), vec!["--shard", "1/2", "--out", &out]].concat());
    assert!(part.code == 2 && part.err.contains("how wide the whole is"), "{part:?}");
}

/// The clock's command lives minds of each kind, causes of death and couplings, also when nobody names a world.
#[test]
fn the_clock_is_asked_by_one_command() {
    let home = Home::new();
    let told = home.json(&["lab", "clock", "--lives", "3", "--days", "6", "--causes", "flat", "--budgets", "5,1000"]);
    for part in ["minds", "causes", "couplings"] {
        assert!(told[part].as_array().is_some_and(|rows| !rows.is_empty()), "{part}: {told}");
    }
}

#[test]
fn shards_make_the_whole_byte_for_byte() {
    let home = Home::new();
    let at = |name: &str| home.path().join(name);
    let dir = |name: &str| at(name).display().to_string();
    let switch = ["--switch", "grimoire.enabled=true,false", "--worlds", "default,flat", "--outcomes", "trades"];
    let live = |name: &str, more: &[&str]| {
        let out = dir(name);
        let args = [compare(&switch), vec!["--out", &out], more.to_vec()].concat();
        home.json(&args)
    };
    let whole = live("whole", &["--threads", "1"]);
    live("one", &["--shard", "1/2"]);
    live("two", &["--shard", "2/2"]);
    let (one, two, both) = (dir("one"), dir("two"), dir("both"));
    let merged = home.json(&["lab", "merge", &two, &one, "--out", &both, "--outcomes", "trades"]);
    assert_eq!(merged, whole);
    let files = ["rows.csv", "lines.json", "plan.json"];
    for file in files {
        assert_eq!(read(at("both").join(file)), read(at("whole").join(file)), "{file}");
    }
    assert_eq!(read(at("whole").join("rows.csv")).lines().count(), 9, "two worlds, two paths, two arms, and a head");
    // The page says how to make it again, and has the course of one life of each arm; who puts parts together lives nobody.
    let (page, put) = (read(at("whole").join("page.html")), read(at("both").join("page.html")));
    assert!(page.contains("lab compare"), "{page}");
    for words in [
        "One path, looked at",
        "seed 1: the golem is grimoire.enabled=false",
        "buy and hold",
        "Drawdown",
        "Phases",
        "Price of ETH in USDC",
    ] {
        assert!(page.contains(words) && !put.contains("One path"), "{words}");
    }
    // Asked again it lives nothing again, and another plan is kept out.
    let again = [compare(&switch), vec!["--out", &both]].concat();
    assert!(home.ok(&again).err.contains("8 of 8 lives are there already"));
    let other = home.bardo(&[compare(&switch), vec!["--out", &both, "--budget", "99"]].concat());
    assert!(other.code == 2 && other.err.contains("other budget") && other.err.contains("hint: "), "{other:?}");
    // Nor does anybody choose what is judged once the rows are there.
    for chosen in [["lab", "merge", &two, &one], ["lab", "merge", &one, &two]] {
        let late = home.bardo(&[&chosen[..], &["--out", &dir("late"), "--outcomes", "exposure"]].concat());
        assert!(late.code == 2 && late.err.contains("fixed before the first life: trades"), "{late:?}");
    }
    let missing = home.bardo(&["lab", "merge", &one, "--out", &dir("half")]);
    assert!(missing.code == 2 && missing.err.contains("missing: 2/2"), "{missing:?}");
}

/// Only in builds with the feature, which is heavy and never in the default build.
#[cfg(feature = "parquet")]
#[test]
fn rows_are_the_same_in_parquet_and_in_csv() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, UInt64Type};
    let home = Home::new();
    let dir = home.path().join("out");
    let switch = ["--switch", "grimoire.enabled=true,false", "--worlds", "default,flat"];
    home.ok(&[compare(&switch), vec!["--out", dir.to_str().unwrap()]].concat());
    let rows = golem_lab::compare::table::from_csv(&read(dir.join("rows.csv"))).unwrap();
    let file = std::fs::File::open(dir.join("rows.parquet")).unwrap();
    let read = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches: Vec<_> = read.collect::<Result<_, _>>().unwrap();
    let [batch] = &batches[..] else { panic!("a few rows are one batch: {}", batches.len()) };
    assert_eq!((batch.num_rows(), rows.len()), (8, 8), "two worlds, two paths, two arms");
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let words =
        |name: &str| column(name).as_string::<i32>().iter().map(|word| word.map(str::to_owned)).collect::<Vec<_>>();
    assert!(words("world").into_iter().eq(rows.iter().map(|row| Some(row.world.clone()))));
    assert!(words("template").into_iter().eq(rows.iter().map(|row| Some(row.template.clone()))));
    assert!(words("arm").into_iter().eq(rows.iter().map(|row| Some(row.arm.clone()))));
    assert!(words("cause").into_iter().eq(rows.iter().map(|row| row.cause.clone())));
    assert!(column("path").as_primitive::<UInt64Type>().iter().eq(rows.iter().map(|row| Some(row.path))));
    assert_eq!(batch.num_columns(), rows[0].values.len() + 5, "every outcome, four labels and the cause");
    for (n, (name, _)) in rows[0].values.iter().enumerate() {
        let there = column(name.as_str()).as_primitive::<Float64Type>().iter().map(|value| value.map(f64::to_bits));
        assert!(there.eq(rows.iter().map(|row| row.values[n].1.map(f64::to_bits))), "{name}");
    }
    assert!(rows.iter().any(|row| row.values.iter().any(|(_, value)| value.is_none())), "cells without a number too");
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_hint() {
    let home = Home::new();
    let both = "grimoire.enabled=true,false";
    for (args, part) in [
        (vec!["--switch", "grimoire.enbled=true,false"], "did you mean"),
        (vec!["--switch", "grimoire.enabled=true"], "fewer than two values"),
        (vec!["--switch", "grimoire.enabled=true,true"], "named twice"),
        (vec!["--switch", "grimoire.enabled=true,maybe"], "grimoire.enabled"),
        (vec!["--switch", both, "--worlds", "atlantis"], "atlantis"),
        (vec!["--switch", both, "--worlds", "csv:/nowhere.csv"], "/nowhere.csv"),
        (vec!["--switch", both, "--margin", "joy=1"], "joy is no outcome"),
        (vec!["--switch", both, "--margin", "trades"], "no margin"),
        (vec!["--switch", both, "--outcomes", "joy"], "joy is no outcome"),
        (vec!["--switch", both, "--set", "chain.kind=embedded"], "on paper"),
        (vec!["--switch", both, "--budget", "0"], "not enough"),
        (vec!["--switch", both, "--shard", "3/2", "--out", "x"], "no shard"),
        (vec![], "--switch"),
    ] {
        let said = home.bardo(&compare(&args));
        assert!(said.code == 2 && said.err.contains(part), "{args:?}: {said:?}");
        assert!(said.err.contains("hint: ") || said.err.contains("--help"), "{said:?}");
    }
    for (args, part) in [(["--seeds", "0"], "at least one path"), (["--days", "0"], "at least a day")] {
        let said = home.bardo(&[&["lab", "compare", "--switch", both], &args[..]].concat());
        assert!(said.code == 2 && said.err.contains(part), "{args:?}: {said:?}");
    }
}

#[test]
fn what_matters_is_one_page_and_names_what_does_nothing() {
    let home = Home::new();
    let page = home.path().join("what-matters.md");
    let args =
        [&["lab", "matters", "--worlds", "default", "--page", page.to_str().expect("text")], &SHORT[..]].concat();
    std::fs::write(&page, "out of date\n\n## Measured by themselves\n\nby hand\n").expect("it is written");
    let told = home.json(&args);
    let effect = |organ: &str| {
        let of = told.as_array().and_then(|all| all.iter().find(|o| o["organ"] == organ));
        of.unwrap_or_else(|| panic!("no {organ}"))["effect"].as_str().expect("a word").to_owned()
    };
    assert_ne!(effect("trading (control)"), "none");
    // Without a model no turn is thought through, so that nothing can be coloured in it.
    assert_eq!(effect("channel tier"), "none");
    let with_model = |organ: &str| {
        let of = told.as_array().and_then(|all| all.iter().find(|o| o["organ"] == organ && o["model"] == true));
        of.unwrap_or_else(|| panic!("no {organ} with a model"))["effect"].as_str().expect("a word").to_owned()
    };
    assert_ne!(with_model("tier gate (or it never thinks)"), "none");
    assert_ne!(with_model("tier gate (or it always thinks)"), "none");
    let text = read(page);
    assert!(!text.contains("out of date") && text.ends_with("|\n\n## Measured by themselves\n\nby hand\n"), "{text}");
    for part in [
        "## With a model to ask",
        "### thinking_usdc_per_day",
        "channel dreams",
        "Not measured: channel sharing (waits",
        "lab matters",
        "## In short",
        "Without effect anywhere",
        "| grimoire |",
        "settings `",
        "program `",
        "tier gate",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

#[test]
fn a_model_is_asked_only_where_the_plan_has_one() {
    let home = Home::new();
    let switch = ["--switch", "mind.gate.base_deliberation_threshold=0.3,0.05", "--outcomes", "thoughts_per_day"];
    let refused = home.bardo(&compare(&switch));
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("thoughts_per_day is no outcome"), "{refused:?}");
    let dir = home.path().join("thinking");
    let out = ["--model", "--out", dir.to_str().expect("text")];
    let told = home.json(&[compare(&switch), out.to_vec()].concat());
    let line = &told.as_array().expect("lines")[0];
    assert!(line["mean_against"].as_f64() > Some(0.0) && line["mean_difference"].as_f64() > Some(0.0), "{line}");
    assert!(read(dir.join("plan.json")).contains("\"model\": true"));
    assert!(read(dir.join("page.html")).contains("a stand-in that answers by what it is shown"));
    // Rows of lives without one are another comparison.
    let other = home.bardo(&[compare(&switch[..2]), out[1..].to_vec()].concat());
    assert!(other.code == 2 && other.err.contains("another comparison"), "{other:?}");
}

/// A trial of one short path: planned, lived, judged, and refused where something is not what was planned.
#[test]
fn a_trial_is_planned_lived_under_letters_and_judged() {
    use golem_lab::trial::TrialPlan;
    let home = Home::new();
    let at = |name: &str| home.path().join(name);
    let text = |name: &str| at(name).display().to_string();
    let (file, dir) = (text("plan.json"), text("trial"));
    let short = ["--paths", "1", "--days", "3", "--cells", "resampled-100pc,turning-gas-hours-15d", "--tune", "0"];
    let told = home.json(&[&["lab", "plan", "--out", &file], &short[..]].concat());
    assert_eq!(told["cells"].as_array().map(Vec::len), Some(4), "two cells and two controls: {told}");
    fn of<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        [&["lab", "trial", "--plan", file], more].concat()
    }
    let said = home.json(&of(&file, &["--out", &dir]));
    // One path tells nothing of a control, so nothing that was found counts.
    assert_eq!(said["verdict"], "void", "{said}");
    assert_eq!(said["key"].as_array().map(Vec::len), Some(10));
    assert_eq!(said["other_program"], false);
    let statistics = read(at("trial").join("statistics.json"));
    let rows = read(at("trial").join("rows.csv"));
    assert_eq!(rows.lines().count(), 41, "four cells, ten arms, and a head");
    for name in ["keeps-all", "matched-forgetting", "inherits"] {
        assert!(!statistics.contains(name) && !rows.contains(name), "{name}");
        assert!(read(at("trial").join("page.html")).contains(name), "the page says whose each letter is");
        assert!(read(at("trial").join("page.md")).contains(name));
    }
    assert_eq!(home.json(&of(&file, &["--out", &dir])), said, "again it says the same");
    // Another program is refused unless it is said, and then the verdict says so too.
    let plan = TrialPlan::read(&at("plan.json")).expect("a plan");
    let other = TrialPlan { binary: golem_core::Hash::of(b"another"), ..plan };
    other.write(&at("plan.json")).expect("written");
    let no = home.bardo(&of(&file, &["--out", &text("elsewhere")]));
    assert!(no.code != 0 && no.err.contains("--other-program"), "{no:?}");
    let yes = home.json(&of(&file, &["--out", &text("elsewhere"), "--other-program"]));
    assert_eq!(yes["other_program"], true);
    let wrong = home.bardo(&of(&file, &["--out", &dir, "--other-program"]));
    assert_ne!(wrong.code, 0, "a folder of another plan is left alone");
}

/// A slice of `bardo lineage run`: one command lives a line and says of each life what is asked of the report.
#[test]
fn a_line_is_lived_by_one_command_and_told() {
    let home = Home::new();
    let run = |generations| ["lineage", "run", "--generations", generations, "--seed", "11", "--most-days", "12"];
    let report = home.json(&run("2"));
    let lives = report["generations"].as_array().expect("a row for each");
    assert_eq!(lives.len(), 2, "{report:#}");
    for field in ["days", "fitness", "novel", "inherited", "validated", "contradicted", "worth_micro_usdc"] {
        assert!(lives.iter().all(|life| life[field].is_number()), "{field}: {report:#}");
    }
    let heir = &lives[1];
    assert!(heir["inherited"].as_u64() > Some(0), "{heir:#}");
    assert!(heir["first_days_loss"].is_number() && heir["newborn_loss"].is_number(), "{heir:#}");
    assert!(heir["to_parent_skill"]["reached"].is_boolean(), "censored or not: {heir:#}");
    assert!(report["negentropy_slope"].is_number() && report["lineage_score"].is_number(), "{report:#}");
    let text = home.ok(&run("1")).out;
    assert!(text.starts_with("gen  days") && text.contains("ratchet of the line: none"), "{text}");
    let refused = home.bardo(&["lineage", "run", "--world", "atlantis"]);
    assert!(refused.code == 2 && refused.err.contains("atlantis"), "{refused:?}");
}

/// The whole trial's one command, on one short path of each cell: given again after it was broken off it goes on, and comes to the
/// same.
#[test]
fn the_command_of_the_whole_trial_goes_on_where_it_stopped() {
    use std::process::{Command, Stdio};
    let home = Home::new();
    let dir = home.path().join("trial");
    let run = || {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/trial");
        let short = [("PATHS", "1"), ("DAYS", "3"), ("THREADS", "2"), ("BARDO", env!("CARGO_BIN_EXE_bardo"))];
        let done = Command::new(script).arg(&dir).envs(short).stdin(Stdio::null()).output().expect("it starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    run();
    let lived = |name: &str| dir.join("lived").join(name);
    let whole = ["rows.csv", "deaths.csv", "statistics.json", "verdict.json"].map(|name| read(lived(name)));
    assert_eq!(whole[0].lines().count(), 201, "twenty cells, ten arms, and a head");
    // Broken off in the middle of a row, and before that in the middle of making its plan.
    std::fs::write(lived("rows.part.csv"), &whole[0][..whole[0].len() * 2 / 3]).expect("written");
    std::fs::rename(lived("deaths.csv"), lived("deaths.part.csv")).expect("there");
    for gone in ["rows.csv", "statistics.json", "verdict.json"] {
        std::fs::remove_file(lived(gone)).expect("there");
    }
    std::fs::write(dir.join("bardo.part"), "half a program").expect("written");
    run();
    let again = ["rows.csv", "deaths.csv", "statistics.json", "verdict.json"].map(|name| read(lived(name)));
    assert_eq!(again, whole);
}
