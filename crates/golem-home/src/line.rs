//! The line that a golem stands in: who descends from whom in a home.

use crate::departed::Departed;
use crate::fail::Fail;
use crate::graves::{grave, opened};
use crate::home::Home;
use crate::origins;
use crate::stored::parse;
use golem_clade::divergence::{DivergenceVerdict, InvalidatedEntry};
use golem_core::{GolemId, Name, Usdc};
use golem_grimoire::EntryId;
use golem_grimoire::grimoire::AttributedProfit;
use golem_life::{LifeStanding, Status};
use serde::Serialize;

/// One golem of a line.
#[derive(Debug, Clone, Serialize)]
pub struct LineMember {
    pub id: GolemId,
    pub name: Name,
    pub generation: u32,
    pub parent: Option<GolemId>,
    /// None before its first turn.
    pub standing: Option<LifeStanding>,
    /// Of what it died; none while it lives.
    pub cause: Option<String>,
    /// The same, in a word or two for people.
    pub died_of: Option<&'static str>,
    pub age_days: Option<f64>,
    pub worth_micro_usdc: Option<Usdc>,
    /// Whether it inherited what its parent knew.
    pub inherits: bool,
    /// Whether a dead heir was more than a repetition of its parent.
    pub verdict: Option<DivergenceVerdict>,
    pub ratchet: Option<f64>,
    /// What it had inherited and refuted, with the reason.
    pub refuted: Vec<RefutedEntry>,
    /// What rules that others learnt brought to it, by who learnt them first.
    pub attributed: Vec<AttributedProfit>,
    /// What its own knowledge brought to others of the line; none where nobody has acted by it.
    pub brought: Option<BroughtProfit>,
}

/// What a golem's knowledge brought to others of its line, by their twins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BroughtProfit {
    /// To how many.
    pub golems: u32,
    /// Trials that are over.
    pub trials: u32,
    /// What acting by it was worth beyond acting without, in basis points of their wealth.
    pub bps: f64,
}

/// Something inherited that did not hold in a life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefutedEntry {
    pub entry: EntryId,
    /// Why.
    pub why: String,
}

/// The golems of a line, ancestors first; and what is to be said of those that cannot be read.
pub fn members(line: GolemId, home: &Home) -> Result<(Vec<LineMember>, Vec<String>), Fail> {
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    for place in home.golems()? {
        let (origin, reader) = match opened(&place) {
            Ok(read) => read,
            Err(e) => {
                unreadable.push(format!("{} cannot be read: {e}", place.name));
                continue;
            }
        };
        let birth = &origin.birth;
        if birth.lineage != line {
            continue;
        }
        let grave = grave(&place, &origin, &reader)?;
        let genesis = origins::genesis(&origin)?;
        let judged = match (&grave, birth.parent) {
            (Some(_), Some(_)) => Departed::read(&place)?.left().divergence(),
            _ => None,
        };
        let status: Option<Status> = reader.status()?.map(|row| parse(&row.body)).transpose()?;
        all.push(LineMember {
            id: birth.id,
            name: birth.name.clone(),
            generation: birth.generation,
            parent: birth.parent,
            standing: status.as_ref().map(|status| status.standing),
            age_days: grave.as_ref().map(|g| g.age_days),
            worth_micro_usdc: grave.as_ref().map(|g| g.worth_micro_usdc),
            died_of: grave.as_ref().map(|g| g.died_of),
            cause: grave.map(|g| g.cause),
            verdict: judged.as_ref().map(|report| report.verdict),
            refuted: judged.iter().flat_map(|report| &report.work.invalidated).map(refuted).collect(),
            ratchet: judged.and_then(|report| report.ratchet),
            attributed: status.map(|status| status.attributed).unwrap_or_default(),
            brought: None,
            inherits: genesis.inheritance.is_some_and(|i| i.given().next().is_some()),
        });
    }
    all.sort_by(|a, b| (a.generation, &a.name).cmp(&(b.generation, &b.name)));
    let brought: Vec<Option<BroughtProfit>> = all.iter().map(|m| brought_by(m.id, &all)).collect();
    all.iter_mut().zip(brought).for_each(|(m, brought)| m.brought = brought);
    Ok((all, unreadable))
}

/// What was learnt by one of a line, summed over all who lived by it.
fn brought_by(golem: GolemId, line: &[LineMember]) -> Option<BroughtProfit> {
    let owed = line.iter().flat_map(|m| &m.attributed).filter(|owed| owed.learnt_by == golem);
    owed.fold(None, |sum: Option<BroughtProfit>, owed| {
        let BroughtProfit { golems, trials, bps } = sum.unwrap_or(BroughtProfit { golems: 0, trials: 0, bps: 0.0 });
        Some(BroughtProfit { golems: golems + 1, trials: trials.saturating_add(owed.trials), bps: bps + owed.bps })
    })
}

fn refuted(one: &InvalidatedEntry) -> RefutedEntry {
    RefutedEntry { entry: one.id, why: one.reason.to_string() }
}
