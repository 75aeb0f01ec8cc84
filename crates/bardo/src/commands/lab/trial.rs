//! `bardo lab trial`: a plan is lived under letters, judged, and only then is it said whose each letter is.

use super::{arms, not_tried, refused, setup, trial_page};
use crate::cli::LabTrial;
use crate::fail::Fail;
use crate::out::Out;
use golem_core::Hash;
use golem_lab::compare::{Shard, cores};
use golem_lab::trial::{
    BlindKey, StatisticsOnDisk, TrialData, TrialFolder, TrialPlan, TrialRun, statistics, verdict_of,
};
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const STATISTICS: &str = "statistics.json";
/// Seconds between two words of how far it is.
const SPEAK_EVERY_S: u64 = 60;

/// What there is to say of a shard.
#[derive(Debug, Serialize)]
struct TrialShardTold {
    shard: String,
    paths: usize,
    plan: Hash,
}

/// Live it, or the rest of it, and judge.
pub fn run(args: &LabTrial, out: &Out) -> Result<(), Fail> {
    let shard = args.shard.as_deref().map_or(Ok(Shard::WHOLE), Shard::parse).map_err(refused)?;
    let plan = TrialPlan::read(&args.plan).map_err(not_tried)?;
    let other_program = plan.binary != setup::program()?;
    if other_program && !args.other_program {
        let hint = "make the plan anew with this program, or say that it is another one: --other-program";
        return Err(Fail::hint("the plan was made with another program", hint));
    }
    let (base, data) = (arms::settings(&plan.sets)?.life(), TrialData::read(&args.data, plan.days).map_err(not_tried)?);
    let run = TrialRun { plan: &plan, base: &base, data: &data };
    run.check().map_err(not_tried)?;
    let mut folder = TrialFolder::open(&args.out, &plan, shard, &args.from).map_err(not_tried)?;
    live(&mut folder, &run, args.threads.unwrap_or_else(cores), out)?;
    if shard != Shard::WHOLE {
        let told = TrialShardTold { shard: shard.to_string(), paths: folder.progress().0, plan: plan.hash() };
        return out.result(&told, || {
            format!("shard {shard} is done: {} paths. Put all together: --from DIR,DIR without --shard", told.paths)
        });
    }
    judge(&plan, &folder, &args.out, other_program, out)
}

fn live(folder: &mut TrialFolder, run: &TrialRun<'_>, threads: usize, out: &Out) -> Result<(), Fail> {
    let ((before, all), begun) = (folder.progress(), Instant::now());
    if before > 0 {
        out.say(&format!("{before} of {all} paths are there already"));
    }
    let (lived, spoken) = (AtomicU64::new(0), AtomicU64::new(0));
    let told = |_: &_| {
        let lived = lived.fetch_add(1, Ordering::Relaxed) + 1;
        let (seconds, last) = (begun.elapsed().as_secs(), spoken.load(Ordering::Relaxed));
        let is_due = seconds >= last + SPEAK_EVERY_S;
        if is_due && spoken.compare_exchange(last, seconds, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let left = (all - before) as f64 / lived as f64 - 1.0;
            let minutes = (seconds as f64 * left / 60.0).ceil();
            out.say(&format!("{} of {all} paths, about {minutes:.0} min left", before as u64 + lived));
        }
    };
    folder.live(run, threads, &told).map_err(not_tried)?;
    let (new, seconds) = (lived.load(Ordering::Relaxed), begun.elapsed().as_secs_f64());
    if new > 0 {
        let turns = new * run.plan.arms.len() as u64 * run.plan.days * 24;
        let rate = turns as f64 / seconds.max(1e-9);
        out.say(&format!("{new} paths, about {turns} turns in {seconds:.1} s: {rate:.0} turns a second"));
    }
    Ok(())
}

/// Statistics in letters; when they are on disk, the key, the verdict and the page.
fn judge(plan: &TrialPlan, folder: &TrialFolder, dir: &Path, other_program: bool, out: &Out) -> Result<(), Fail> {
    let key = BlindKey::of(plan);
    let questions: Vec<[String; 2]> = plan.contrasts.iter().map(|contrast| key.lettered(*contrast)).collect();
    let said = statistics(plan, &folder.rows(), &questions).map_err(not_tried)?;
    let there = StatisticsOnDisk::written(&dir.join(STATISTICS), &json(&said)?).map_err(not_tried)?;
    let told = verdict_of(&said, there.hash(), &plan.primary, key.open(&there), other_program);
    std::fs::write(dir.join("verdict.json"), json(&told)?)?;
    let page = trial_page::TrialTold { plan, said: &said, told: &told, deaths: &folder.deaths() };
    std::fs::write(dir.join("page.html"), page.page().html())?;
    std::fs::write(dir.join("page.md"), page.markdown())?;
    out.say(&format!("rows, statistics, verdict and page are in {}", dir.display()));
    out.result(&told, || page.text())
}

fn json(what: &impl Serialize) -> Result<String, Fail> {
    serde_json::to_string_pretty(what).map(|text| text + "\n").map_err(|e| Fail::Bug(e.to_string()))
}
