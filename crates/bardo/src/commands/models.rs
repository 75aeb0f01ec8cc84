//! `bardo models list|test`: which models are set up, and whether they answer.

use crate::birth;
use crate::cli::{ModelsCommand, ModelsOf};
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Home;
use crate::lines::folded;
use crate::models;
use crate::out::{Out, as_value};
use golem_core::model::ModelFailure;
use golem_home::thinkers::ModelsListed;
use golem_inference::report::{Tested, test_embedder};
use golem_inference::{InferenceConfig, embedder};
use golem_runtime::Reader;

const HINT: &str = "set them up in a settings file: [[inference.providers]] with name, kind, base_url and model_t1 (examples/local-model.toml)";

/// Run one.
pub fn run(command: &ModelsCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        ModelsCommand::List(of) => show(&config(of, home)?, out),
        ModelsCommand::Test(of) => test(&config(of, home)?, out),
    }
}

/// The `[inference]` of a file, of a golem, or of nobody.
fn config(of: &ModelsOf, home: &Home) -> Result<InferenceConfig, Fail> {
    if let Some(path) = &of.config {
        return Ok(GolemFile::load(path, &[])?.inference);
    }
    match &of.id {
        Some(id) => Ok(birth::settings_of(&Reader::open(&home.golem(id)?.dir)?.origin()?)?.inference),
        None => Err(Fail::hint("whose models?", "name a golem, or give --config FILE")),
    }
}

fn show(config: &InferenceConfig, out: &Out) -> Result<(), Fail> {
    let listed = ModelsListed::of(config);
    let (told, embedder) = (as_value(&listed)?, &listed.embedder);
    out.result(&told, || {
        let mut lines: Vec<String> = listed
            .models
            .iter()
            .map(|m| {
                let (tier, price) = (format!("{:?}", m.tier).to_lowercase(), &m.price);
                let cost = format!("{} / {} USDC per M tokens", price.input_usdc_per_mtok, price.output_usdc_per_mtok);
                format!("{tier}     {} at {}: {}, {cost}, key: {}", m.provider, m.at, m.model, m.key)
            })
            .collect();
        if lines.is_empty() {
            lines.push(format!("no models: it thinks by its rules alone\n{HINT}"));
        }
        lines.push(format!("embed  {embedder}"));
        lines.push(format!("at most {} USDC and {} questions a day", config.daily_budget_usdc, config.max_daily_calls));
        folded(&lines.join("\n"))
    })
}

fn test(config: &InferenceConfig, out: &Out) -> Result<(), Fail> {
    let mut inference = models::open(config)?;
    let mut all = inference.test();
    if let Some(mut embedder) = embedder(config).map_err(|p| models::refuse(&p))? {
        all.push(test_embedder(embedder.as_mut()));
    }
    if all.is_empty() {
        return Err(Fail::hint("there are no models to ask", HINT));
    }
    out.result(&all, || folded(&all.iter().map(line).collect::<Vec<_>>().join("\n")))?;
    match all.iter().filter(|t| t.failed.is_some()).count() {
        0 => Ok(()),
        n => {
            let why = all.iter().find_map(|t| t.failed);
            let what = format!("{n} of {} gave no answer: {}", all.len(), why.map_or("", ModelFailure::in_words));
            Err(Fail::world_hint(what, "is it running, and where the settings say? see: bardo models list"))
        }
    }
}

fn line(t: &Tested) -> String {
    let tier = t.tier.map_or_else(|| "embed".to_owned(), |tier| format!("{tier:?}").to_lowercase());
    let mut came = match (t.failed, t.drift) {
        (Some(why), _) => format!("no answer: {}", why.in_words()),
        (None, true) => "answered, but as another model than the pinned one".to_owned(),
        (None, false) => t.width.map_or_else(|| "answered".to_owned(), |w| format!("answered with {w} numbers")),
    };
    if !t.said.is_empty() {
        came += &format!(": {}", t.said);
    }
    if t.thinks {
        came += ", after thinking";
    }
    if t.cut && t.failed.is_none() {
        came += " ..., cut off: it likes to talk";
    }
    let note = if t.note.is_empty() { String::new() } else { format!(" ({})", t.note) };
    format!("{tier:<5}  {} {}: {came}{note}, {} ms, {} USDC", t.provider, t.model, t.ms, t.cost)
}
