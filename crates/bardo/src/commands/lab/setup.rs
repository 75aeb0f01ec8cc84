//! From what was typed to a comparison that can be lived.

use super::arms::{LabArm, of_file, settings};
use super::refused;
use crate::birth;
use crate::cli::{LabPace, LabPaths};
use crate::fail::Fail;
use crate::golem_file::{GolemFile, moment};
use golem_core::Hash;
use golem_lab::compare::{ArmSettings, ComparePlan, PairedLives, WorldSource, settings_hash};
use golem_lab::world::{CsvMode, CsvOptions};
use std::collections::BTreeMap;

/// Put it together, and refuse whatever is wrong before anybody lives. With a model, all of them can ask the stand-in.
pub fn comparison(paths: &LabPaths, arms: &[LabArm], model: bool) -> Result<PairedLives, Fail> {
    birth::check_budget(paths.budget)?;
    let base = settings(&common(paths))?;
    let templates: Vec<String> = match &paths.template[..] {
        [] => vec![base.policy.template.to_string()],
        named => named.iter().map(ToString::to_string).collect(),
    };
    let settings = by_template(paths, &templates, arms, model)?;
    let mut plan = ComparePlan {
        worlds: worlds(paths),
        templates,
        arms: arms.iter().map(|arm| arm.name.clone()).collect(),
        sets: common(paths),
        first_seed: paths.seed,
        seeds: paths.seeds,
        days: paths.days,
        budget: paths.budget,
        skill_level: paths.skill_level,
        margins: margins(&paths.margin)?,
        settings: settings_hash(&settings),
        data: BTreeMap::new(),
        stretches: BTreeMap::new(),
        model,
        best: None,
        judged: Vec::new(),
        until: None,
        widened: None,
        binary: program()?,
    };
    plan.check().map_err(refused)?;
    let options = options(&base)?;
    let open = |word: &String| WorldSource::open(word, plan.days, &options);
    let sources = plan.worlds.iter().map(open).collect::<Result<Vec<_>, _>>().map_err(refused)?;
    plan.data = sources.iter().filter_map(WorldSource::data).collect();
    plan.stretches = sources.iter().filter_map(|source| source.stretches(plan.days)).collect();
    Ok(PairedLives { plan, settings, sources })
}

/// Where; without a word the default world.
fn worlds(paths: &LabPaths) -> Vec<String> {
    if paths.worlds.is_empty() { vec!["default".to_owned()] } else { paths.worlds.clone() }
}

/// What is set for everybody.
fn common(paths: &LabPaths) -> Vec<String> {
    let seconds = paths.pace.map(|pace| match pace {
        LabPace::Tick => golem_core::NOMINAL_TICK_S,
        LabPace::Hour => 3_600,
    });
    let pace = seconds.map(|s| format!("heartbeat.tick_interval_s={s}"));
    pace.into_iter().chain(paths.set.iter().cloned()).collect()
}

/// The settings of every template and arm. The template comes first, so that it can be the switch.
fn by_template(
    paths: &LabPaths,
    templates: &[String],
    arms: &[LabArm],
    model: bool,
) -> Result<Vec<Vec<ArmSettings>>, Fail> {
    let one = |template: &String, arm: &LabArm| {
        let template = (!paths.template.is_empty()).then(|| format!("policy.template={template}"));
        let sets: Vec<String> = template.into_iter().chain(common(paths)).chain(arm.sets.iter().cloned()).collect();
        settings(&sets).map(|file| of_file(&file, model))
    };
    templates.iter().map(|template| arms.iter().map(|arm| one(template, arm)).collect()).collect()
}

/// How recorded markets are read.
fn options(file: &GolemFile) -> Result<CsvOptions, Fail> {
    let time = |text: &str| moment(text).map_err(|e| Fail::owner(format!("{text:?} is no time: {e}")));
    let mode = if file.world.bridge { CsvMode::Bridge { seed: 0 } } else { CsvMode::PerBar };
    let gas = (!file.world.gas_path.is_empty()).then(|| file.world.gas_path.clone().into());
    let (from, until) = (time(&file.world.from)?, time(&file.world.until)?);
    Ok(CsvOptions { mode, gas, from, until, ..CsvOptions::default() })
}

/// An outcome and a number for each of these words.
pub fn margins(given: &[String]) -> Result<BTreeMap<String, f64>, Fail> {
    let one = |text: &String| {
        let parts = text.split_once('=').and_then(|(name, x)| Some((name.trim().to_owned(), x.trim().parse().ok()?)));
        let hint = "write an outcome and a number: --margin worth_vs_nothing=0.003";
        parts.ok_or_else(|| Fail::hint(format!("{text:?} is no margin"), hint))
    };
    given.iter().map(one).collect()
}

/// Hash of this program: rows of different programs are not put together.
pub fn program() -> Result<Hash, Fail> {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map(|bytes| Hash::of(&bytes)).map_err(|e| Fail::world(format!("this program cannot read itself: {e}")))
}
