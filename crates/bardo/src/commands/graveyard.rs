//! `bardo graveyard`: all dead golems of this home, the last to die first.

use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::lines::folded;
use crate::out::Out;
use crate::stored::parse;
use crate::testament;
use golem_core::{GolemId, Name, Timestamp, Usdc};
use golem_runtime::{Origin, Reader};
use golem_view::{money, time};
use serde::Serialize;

/// One grave.
#[derive(Debug, Serialize)]
pub(super) struct Grave {
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

/// All of them.
pub fn run(home: &Home, out: &Out) -> Result<(), Fail> {
    let mut graves = Vec::new();
    for place in home.golems()? {
        // One damaged file must not hide the others; it is told and passed over.
        match Reader::open(&place.dir).map_err(Fail::from).and_then(|r| Ok((r.origin()?, r))) {
            Ok((origin, reader)) => graves.extend(grave(&place, &origin, &reader)?),
            Err(e) => out.alert(&format!("{} cannot be read: {e}", place.name)),
        }
    }
    graves.sort_by(|a, b| (b.died_at, &a.name).cmp(&(a.died_at, &b.name)));
    out.result(&graves, || {
        if graves.is_empty() {
            return format!("nobody has died in {}", home.path().display());
        }
        graves.iter().map(words).collect::<Vec<_>>().join("\n")
    })
}

/// The grave of a golem; none while it lives.
pub(super) fn grave(place: &Place, origin: &Origin, reader: &Reader) -> Result<Option<Grave>, Fail> {
    let Some(status) = reader.status()?.map(|row| parse(&row.body)).transpose()? else { return Ok(None) };
    let Some(death) = status.death.as_ref().filter(|_| status.standing.is_final()) else { return Ok(None) };
    let (birth, sealed_to) = (&origin.birth, crate::birth::settings_of(origin)?.testament.sealed_to);
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

fn words(g: &Grave) -> String {
    let head = format!(
        "† {} ({}) · generation {} · {} · died of {} · {} of {} USDC left",
        g.name,
        g.id,
        g.generation,
        time::age(g.age_days),
        g.cause,
        money::usdc(g.worth_micro_usdc),
        money::usdc(g.funded_micro_usdc)
    );
    let said = g.last_words.as_ref().map(|words| format!("\n    \"{words}\"")).unwrap_or_default();
    folded(&format!("{head}{said}"))
}
