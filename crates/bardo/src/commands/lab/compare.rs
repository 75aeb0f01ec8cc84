//! `bardo lab compare`: the same paths once for each arm, and what differs between them.

use super::judged::{self, ShardTold, WrittenTo};
use super::progress::LabProgress;
use super::{arms, course, refused, setup};
use crate::cli::LabCompare;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::compare::{CompareFolder, LifeOf, LifeRow, MOST_PATHS, PairedLives, Shard, UntilNarrow, cores};
use golem_lab::stats::wanted_paths;
use std::path::Path;

/// How many times as many paths as it begins with a comparison may come to, where nothing else is said.
const MOST_TIMES: u64 = 4;

/// Run it. With `yes` a page that is there is replaced.
pub fn run(args: &LabCompare, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    let shard = args.shard.as_deref().map_or(Ok(Shard::WHOLE), Shard::parse).map_err(refused)?;
    let mut comparison = setup::comparison(&args.paths, &arms::arms(&args.switches)?, args.model)?;
    comparison.plan.best.clone_from(&args.best);
    comparison.plan.judged.clone_from(&args.outcomes);
    comparison.plan.until = until(args)?;
    comparison.plan.check().map_err(refused)?;
    if shard.of > 1 && comparison.plan.until.is_some() {
        let hint = "live it on one machine, or give all shards more --seeds";
        return Err(Fail::hint("a part does not know how wide the whole is", hint));
    }
    if shard.of > 1 && args.report.report.is_some() {
        return Err(Fail::hint("a part has no page", "put all parts together first: bardo lab merge DIR..."));
    }
    let page = PagePlace::of(&args.report, home, "compared", args.out.is_some(), yes)?;
    let rows = match args.out.as_deref().filter(|_| comparison.plan.until.is_some()) {
        Some(dir) => live_until_narrow(&mut comparison, dir, args.paths.threads, out)?,
        None => live(&comparison, shard, args.out.as_deref(), args.paths.threads, out)?,
    };
    if shard.of > 1 {
        let told = ShardTold { shard: shard.to_string(), rows: rows.len() as u64, plan: comparison.plan.hash() };
        return out.result(&told, || {
            format!("shard {shard} is done: {} rows. Put all of them together: bardo lab merge DIR...", rows.len())
        });
    }
    let to = WrittenTo { dir: args.out.as_deref(), page: &page };
    let course = || course::parts(&comparison).map_err(refused);
    judged::tell(&comparison.plan, &rows, to, &course, out)
}

/// How narrow intervals must become, if anything was said of it.
fn until(args: &LabCompare) -> Result<Option<UntilNarrow>, Fail> {
    if args.until.is_empty() {
        return Ok(None);
    }
    let most = args.most.unwrap_or_else(|| args.paths.seeds.saturating_mul(MOST_TIMES).min(MOST_PATHS));
    Ok(Some(UntilNarrow { widths: setup::margins(&args.until)?, most }))
}

/// Live its paths, and more of them as long as an interval is wider than was wanted. Nothing but widths is looked at.
fn live_until_narrow(
    comparison: &mut PairedLives,
    dir: &Path,
    threads: Option<usize>,
    out: &Out,
) -> Result<Vec<LifeRow>, Fail> {
    loop {
        let rows = live(comparison, Shard::WHOLE, Some(dir), threads, out)?;
        let paths = comparison.plan.paths();
        let Some(wanted) = wanted_paths(&comparison.plan, &judged::lines(&comparison.plan, &rows)?) else {
            CompareFolder::open(dir, &comparison.plan, Shard::WHOLE).and_then(|f| f.finish(&rows)).map_err(refused)?;
            return Ok(rows);
        };
        out.say(&format!("after {paths} paths an interval is wider than was wanted: {} more", wanted - paths));
        comparison.plan.widened = Some(wanted);
    }
}

/// Live what is not in the folder yet.
pub fn live(
    comparison: &PairedLives,
    shard: Shard,
    dir: Option<&Path>,
    threads: Option<usize>,
    out: &Out,
) -> Result<Vec<LifeRow>, Fail> {
    let plan = &comparison.plan;
    let folder = dir.map(|dir| CompareFolder::open(dir, plan, shard)).transpose().map_err(refused)?;
    let lives = plan.lives(shard);
    let done = |life: &LifeOf| folder.as_ref().is_some_and(|folder| folder.done.contains_key(life));
    let turns = |life: &LifeOf| plan.turns(interval(comparison, *life));
    let (to_do, before) = (lives.iter().filter(|life| !done(life)), lives.iter().filter(|life| done(life)).count());
    let watching = LabProgress::over(to_do.map(turns).sum(), out);
    if before > 0 {
        out.say(&format!("{before} of {} lives are there already", lives.len()));
    }
    let threads = threads.unwrap_or_else(cores);
    let rows = comparison.rows(shard, folder.as_ref(), threads, &watching).map_err(refused);
    watching.end();
    rows
}

/// Seconds between two turns of a life.
fn interval(comparison: &PairedLives, life: LifeOf) -> Option<u64> {
    let set = comparison.settings[life.template][life.arm].life.heartbeat.tick_interval_s;
    if set > 0 { Some(set) } else { comparison.sources[life.world].interval_s() }
}
