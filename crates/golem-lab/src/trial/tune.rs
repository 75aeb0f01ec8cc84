//! How long the tuned arm remembers: what did best on paths that are lived in no trial, chosen before the plan is fixed.

use super::arm::TrialArm;
use super::cell::CellFamily;
use super::data::TrialData;
use super::error::TrialError;
use super::line::{Endings, LineTerms};
use super::path::TUNING_SEEDS;
use super::plan::{TrialPlan, Tuning};
use crate::compare::on_threads;
use golem_life::Settings;

/// Memories that are tried, in days.
pub const MEMORIES: [u32; 5] = [3, 10, 30, 90, 270];

/// Tune on so many paths of every generated cell of a plan; with none, the memory that golems have anyway.
///
/// # Errors
/// When a world cannot be made or a market cannot go on.
pub fn tuned(
    plan: &TrialPlan,
    base: &Settings,
    data: &TrialData,
    paths: u64,
    threads: usize,
) -> Result<Tuning, TrialError> {
    if paths == 0 {
        let tried = MEMORIES.map(|days| (days, None)).to_vec();
        return Ok(Tuning { paths, tried, memory_days: base.mind.memory_days });
    }
    let generated = |family| matches!(family, CellFamily::Resampled | CellFamily::Turning | CellFamily::Crossed);
    let cells = (0..plan.cells.len()).filter(|cell| generated(plan.cells[*cell].family()));
    let jobs: Vec<(usize, u64)> = cells.flat_map(|cell| (0..paths).map(move |path| (cell, path))).collect();
    // One job tries all memories on one path.
    let losses = on_threads(threads, &jobs, |(cell, path)| Ok(losses(plan, base, data, *cell, *path)))?;
    let losses = losses.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mean = |n: usize| {
        let some: Vec<f64> = losses.iter().filter_map(|path| path[n]).collect();
        (!some.is_empty()).then(|| some.iter().sum::<f64>() / some.len() as f64)
    };
    let tried: Vec<(u32, Option<f64>)> = MEMORIES.iter().enumerate().map(|(n, days)| (*days, mean(n))).collect();
    let best = tried.iter().filter_map(|(days, loss)| Some((*days, (*loss)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    let memory_days = best.map_or(base.mind.memory_days, |(days, _)| days);
    Ok(Tuning { paths, tried, memory_days })
}

type TriedMemories = [Option<f64>; MEMORIES.len()];

fn losses(
    plan: &TrialPlan,
    base: &Settings,
    data: &TrialData,
    cell: usize,
    path: u64,
) -> Result<TriedMemories, TrialError> {
    let seed = plan.first_seed + TUNING_SEEDS + path;
    let there = plan.cells[cell].path(path + TUNING_SEEDS, seed, plan.days, data)?;
    let mut tried = TriedMemories::default();
    for (loss, days) in tried.iter_mut().zip(MEMORIES) {
        let arm = TrialArm::TunedForgetting;
        let told = LineTerms {
            plan,
            arm,
            settings: arm.settings(base, plan.frozen_after_days, days),
            path: &there,
            seed,
            endings: Endings::Never,
            stranger: &[],
            is_stranger: false,
        }
        .live()?;
        *loss = told.account.forecast_loss();
    }
    Ok(tried)
}
