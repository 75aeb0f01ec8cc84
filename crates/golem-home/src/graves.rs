//! The dead of a home.

use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::stored::parse;
use crate::testament;
use golem_core::{GolemId, Name, Timestamp, Usdc};
use golem_runtime::{Origin, Reader};
use serde::Serialize;

/// One grave.
#[derive(Debug, Clone, Serialize)]
pub struct Grave {
    pub id: GolemId,
    pub name: Name,
    pub cause: String,
    pub age_days: f64,
    pub died_at: Timestamp,
    /// What it was worth in the end.
    pub worth_micro_usdc: Usdc,
    pub funded_micro_usdc: Usdc,
    pub generation: u32,
    pub lineage: GolemId,
    pub parent: Option<GolemId>,
    /// None for one that left no testament.
    pub last_words: Option<String>,
}

/// All dead golems of a home, the last to die first.
#[derive(Debug, Clone, Default)]
pub struct Graveyard {
    pub graves: Vec<Grave>,
    /// One damaged file must not hide the others; it is told and passed over.
    pub unreadable: Vec<String>,
}

/// All of them.
pub fn graveyard(home: &Home) -> Result<Graveyard, Fail> {
    let mut all = Graveyard::default();
    for place in home.golems()? {
        match opened(&place) {
            Ok((origin, reader)) => all.graves.extend(grave(&place, &origin, &reader)?),
            Err(e) => all.unreadable.push(format!("{} cannot be read: {e}", place.name)),
        }
    }
    all.graves.sort_by(|a, b| (b.died_at, &a.name).cmp(&(a.died_at, &b.name)));
    Ok(all)
}

/// A golem's file, as far as it can be opened.
pub(crate) fn opened(place: &Place) -> Result<(Origin, Reader), Fail> {
    let reader = Reader::open(&place.dir)?;
    Ok((reader.origin()?, reader))
}

/// The grave of a golem; none while it lives.
pub fn grave(place: &Place, origin: &Origin, reader: &Reader) -> Result<Option<Grave>, Fail> {
    let Some(status) = reader.status()?.map(|row| parse(&row.body)).transpose()? else { return Ok(None) };
    let Some(death) = status.death.as_ref().filter(|_| status.standing.is_final()) else { return Ok(None) };
    let (birth, sealed_to) = (&origin.birth, crate::origins::settings_of(origin)?.testament.sealed_to);
    Ok(Some(Grave {
        id: place.id,
        name: birth.name.clone(),
        cause: death.cause.name().to_owned(),
        age_days: death.age.age().as_days(),
        died_at: birth.born_at.after(death.age.age()),
        worth_micro_usdc: status.worth(),
        funded_micro_usdc: status.funded,
        generation: birth.generation,
        lineage: birth.lineage,
        parent: birth.parent,
        last_words: testament::stored(reader)?
            .filter(|_| sealed_to.is_empty())
            .map(|left| left.last_words.text().to_owned()),
    }))
}
