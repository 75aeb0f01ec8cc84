//! `bardo lab plan`: what a trial asks, fixed before anybody lives.

use super::{arms, not_tried, setup};
use crate::birth;
use crate::cli::LabPlan;
use crate::fail::Fail;
use crate::out::Out;
use golem_core::Hash;
use golem_lab::compare::cores;
use golem_lab::trial::{CellFamily, Contrast, TrialArm, TrialCell, TrialData, TrialPlan, Tuning, tuned};
use serde::Serialize;

/// What is told of a plan.
#[derive(Debug, Serialize)]
struct PlanTold {
    plan: Hash,
    file: String,
    cells: Vec<String>,
    paths: u64,
    days: u64,
    turns: u64,
    tuned_memory_days: u32,
}

/// Make it and write it.
pub fn run(args: &LabPlan, out: &Out) -> Result<(), Fail> {
    birth::check_budget(args.budget)?;
    let base = arms::settings(&args.set)?.life();
    let data = TrialData::read(&args.data, args.days).map_err(not_tried)?;
    let mut plan = TrialPlan {
        hypotheses: TrialPlan::hypotheses(),
        arms: TrialArm::ALL.to_vec(),
        contrasts: Contrast::ALL.to_vec(),
        cells: cells(args),
        paths: args.paths,
        first_seed: args.seed,
        days: args.days,
        budget: args.budget,
        costs: true,
        frozen_after_days: args.frozen_after,
        recovery_days: 10,
        tuning: Tuning { paths: 0, tried: Vec::new(), memory_days: base.mind.memory_days },
        primary: args.primary.clone(),
        margins: setup::margins(&args.margin)?,
        level: 0.95,
        resamples: 20_000,
        sets: args.set.clone(),
        settings: base.hash(),
        data: data.hashes().clone(),
        binary: setup::program()?,
    };
    plan.check().map_err(not_tried)?;
    if args.tune > 0 {
        out.say(&format!("tuning on {} paths of each generated cell", args.tune));
    }
    let threads = args.threads.unwrap_or_else(cores);
    plan.tuning = tuned(&plan, &base, &data, args.tune, threads).map_err(not_tried)?;
    plan.write(&args.out).map_err(not_tried)?;
    let told = PlanTold {
        plan: plan.hash(),
        file: args.out.display().to_string(),
        cells: plan.cell_names(),
        paths: plan.paths,
        days: plan.days,
        turns: plan.turns(),
        tuned_memory_days: plan.tuning.memory_days,
    };
    out.result(&told, || {
        format!(
            "plan {} in {}: {} cells of {} paths, ten arms, {} turns. Live it: bardo lab trial --plan {} --out DIR",
            told.plan,
            told.file,
            told.cells.len(),
            told.paths,
            told.turns,
            told.file
        )
    })
}

fn cells(args: &LabPlan) -> Vec<TrialCell> {
    let is_control =
        |cell: &TrialCell| matches!(cell.family(), CellFamily::NegativeControl | CellFamily::PositiveControl);
    let is_named = |cell: &TrialCell| args.cells.iter().any(|word| cell.to_string().contains(word.as_str()));
    let all = TrialCell::all(!args.data.is_empty());
    all.into_iter().filter(|cell| args.cells.is_empty() || is_control(cell) || is_named(cell)).collect()
}
