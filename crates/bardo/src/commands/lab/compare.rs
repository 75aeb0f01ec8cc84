//! `bardo lab compare`: the same paths once for each arm, and what differs between them.

use super::judged::{self, ShardTold, WrittenTo};
use super::progress::LabProgress;
use super::{arms, course, refused, setup};
use crate::cli::LabCompare;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::page_file::PagePlace;
use golem_lab::compare::{CompareFolder, LifeOf, LifeRow, PairedLives, Shard, cores};
use std::path::Path;

/// Run it. With `yes` a page that is there is replaced.
pub fn run(args: &LabCompare, home: &Home, yes: bool, out: &Out) -> Result<(), Fail> {
    let shard = args.shard.as_deref().map_or(Ok(Shard::WHOLE), Shard::parse).map_err(refused)?;
    let mut comparison = setup::comparison(&args.paths, &arms::arms(&args.switches)?, args.model)?;
    comparison.plan.best.clone_from(&args.best);
    comparison.plan.check().map_err(refused)?;
    judged::check(&args.outcomes, &comparison.plan)?;
    if shard.of > 1 && args.report.report.is_some() {
        return Err(Fail::hint("a part has no page", "put all parts together first: bardo lab merge DIR..."));
    }
    let page = PagePlace::of(&args.report, home, "compared", args.out.is_some(), yes)?;
    let rows = live(&comparison, shard, args.out.as_deref(), args.paths.threads, out)?;
    if shard.of > 1 {
        let told = ShardTold { shard: shard.to_string(), rows: rows.len() as u64, plan: comparison.plan.hash() };
        return out.result(&told, || {
            format!("shard {shard} is done: {} rows. Put all of them together: bardo lab merge DIR...", rows.len())
        });
    }
    let to = WrittenTo { dir: args.out.as_deref(), page: &page };
    let course = || course::parts(&comparison).map_err(refused);
    judged::tell(&comparison.plan, &rows, &args.outcomes, to, &course, out)
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
