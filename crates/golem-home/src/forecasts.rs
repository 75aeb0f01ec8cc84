//! What a golem has foretold, how well, and what came of it.

use crate::fail::Fail;
use crate::home::Place;
use crate::stored::parse;
use golem_core::Tick;
use golem_grimoire::change::NamedTable;
use golem_mind::{Prediction, Scores};
use golem_mortality::Domain;
use golem_runtime::Reader;
use serde::Serialize;

/// What `predictions --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct Foretold {
    /// How each domain has done.
    pub scores: Vec<Scores>,
    /// The latest of which it is known, newest first.
    pub settled: Vec<Prediction>,
}

/// Of one domain, or of all; as of a turn, or now.
pub fn read(place: &Place, domain: Option<Domain>, as_of: Option<Tick>, top: usize) -> Result<Foretold, Fail> {
    let reader = Reader::open(&place.dir)?;
    let status = reader.status()?.map(|row| parse(&row.body)).transpose()?;
    let wanted = |d: Domain| domain.is_none_or(|only| only == d);
    let scores = status.into_iter().flat_map(|s| s.forecasts).filter(|s| wanted(s.domain)).collect();
    let mut settled: Vec<Prediction> = Vec::new();
    for row in reader.memory().named(NamedTable::Prediction, as_of, u32::MAX)? {
        let one: Prediction = serde_json::from_str(&row.body).map_err(|e| Fail::Bug(format!("a prediction: {e}")))?;
        if wanted(one.domain) {
            settled.push(one);
        }
        if settled.len() >= top {
            break;
        }
    }
    Ok(Foretold { scores, settled })
}

/// A domain by its name, as people type it.
pub fn domain(word: &str) -> Result<Domain, Fail> {
    let folded = word.replace('-', "_");
    Domain::ALL.into_iter().find(|d| d.name() == folded).ok_or_else(|| {
        let names: Vec<&str> = Domain::ALL.into_iter().map(Domain::name).collect();
        Fail::hint(format!("there is no domain {word}"), format!("there are {}", names.join(", ")))
    })
}
