//! What weighs on a golem, and what has.

use crate::cards;
use crate::fail::Fail;
use crate::home::Place;
use golem_daimon::affect::AffectStatus;
use golem_daimon::suffering::{Band, StressorStatus, SufferingFact};
use golem_life::Status;
use golem_runtime::Reader;
use golem_view::locked::locked;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What `suffering show --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct Burden {
    pub load: f64,
    pub raw: f64,
    pub band: Band,
    pub stressors: Vec<StressorStatus>,
    pub locked: Vec<String>,
    pub crisis_cycles: u64,
    pub respites: u64,
    pub affect: Option<AffectStatus>,
    /// What its owner can do, by the names of the stressors for which there is something to be done.
    pub remedies: BTreeMap<String, String>,
}

/// What weighs on it now; the status is for whoever says it in other words.
pub fn read(place: &Place) -> Result<(Status, Burden), Fail> {
    let read = cards::status(place)?;
    let Some(told) = of(&read) else {
        let what = format!("{} lives without suffering: it was switched off at birth", read.name);
        return Err(Fail::hint(what, "it is on by default: suffering.enabled"));
    };
    Ok((read, told))
}

/// What a status says of it; none where suffering is off.
pub fn of(status: &Status) -> Option<Burden> {
    let suffering = status.suffering.clone()?;
    let remedy = |s: &StressorStatus| Some((s.name.clone(), s.remedy(status.name.as_str())?));
    let remedies = suffering.stressors.iter().filter_map(remedy).collect();
    Some(Burden {
        load: suffering.load,
        raw: suffering.raw,
        band: suffering.band,
        stressors: suffering.stressors,
        locked: locked(status).into_iter().map(ToOwned::to_owned).collect(),
        crisis_cycles: suffering.crisis_cycles,
        respites: suffering.respites,
        affect: status.affect,
        remedies,
    })
}

/// What has ended, the latest last, each as it is recorded and with its turn.
pub fn history(place: &Place, last: usize) -> Result<Vec<Value>, Fail> {
    let reader = Reader::open(&place.dir)?;
    let mut rows = Vec::new();
    for &name in SufferingFact::NAMES {
        let mut after = None;
        loop {
            let page = reader.facts(after, Some(name), 1_000)?;
            let Some(end) = page.last().map(|row| row.seq) else { break };
            after = Some(end);
            for row in page {
                let bad = |e: serde_json::Error| Fail::Bug(format!("a fact: {e}"));
                if serde_json::from_str::<SufferingFact>(&row.body).map_err(bad)?.is_an_end() {
                    rows.push((row.seq, row.tick, serde_json::from_str(&row.body).map_err(bad)?));
                }
            }
        }
    }
    rows.sort_by_key(|(seq, ..)| *seq);
    let with_turn = |(_, tick, mut fact): (_, _, Value)| {
        fact["tick"] = json!(tick);
        fact
    };
    let mut rows: Vec<Value> = rows.into_iter().map(with_turn).collect();
    Ok(rows.split_off(rows.len().saturating_sub(last)))
}
