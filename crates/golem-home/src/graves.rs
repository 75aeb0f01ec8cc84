//! The dead of a home.

use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::{Home, Place};
use crate::origins::settings_of;
use crate::stored::parse;
use crate::testament;
use golem_core::{GolemId, Name, Timestamp, Usdc};
use golem_daimon::affect::Pad;
use golem_life::LifeStanding;
use golem_runtime::{Origin, Reader};
use golem_view::cause::{cause, in_a_word};
use golem_view::mood::mood_rgb;
use serde::Serialize;

/// One grave.
#[derive(Debug, Clone, Serialize)]
pub struct Grave {
    pub id: GolemId,
    pub name: Name,
    pub cause: String,
    /// The same in a word or two, and in a sentence.
    pub died_of: &'static str,
    pub cause_in_words: String,
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
    /// Its mood in the end, and the colour of it; none for one that did not feel.
    pub mood: Option<Pad>,
    pub mood_rgb: Option<[u8; 3]>,
    /// The price that it saw last.
    pub price: Option<f64>,
    /// The market that it lived on, in a word that two golems share if they trade on the same one.
    #[serde(skip)]
    pub market: String,
    /// Whether that is the market of the golem beside which it is looked at; none where nobody is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_market: Option<bool>,
}

impl Grave {
    /// Whether it lies on a market.
    pub fn lies_on(&self, market: &str) -> bool {
        !self.market.is_empty() && self.market == market
    }
}

/// The market of a golem in a word that two golems share if they trade on the same one.
pub fn market(file: &GolemFile) -> String {
    match file.chain.kind {
        ChainWord::Rpc => "a node's".to_owned(),
        ChainWord::Embedded => format!("embedded {}", file.chain.name),
        ChainWord::Paper => format!("{:?} {:?} {}", file.world, file.market, file.chain.scenario),
    }
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
pub fn opened(place: &Place) -> Result<(Origin, Reader), Fail> {
    let reader = Reader::open(&place.dir)?;
    Ok((reader.origin()?, reader))
}

/// The grave of a golem; none while it lives, nor while it is dying: what it leaves is not settled then.
pub fn grave(place: &Place, origin: &Origin, reader: &Reader) -> Result<Option<Grave>, Fail> {
    let Some(status) = reader.status()?.map(|row| parse(&row.body)).transpose()? else { return Ok(None) };
    let is_dead = status.standing == LifeStanding::Dead;
    let Some(death) = status.death.as_ref().filter(|_| is_dead) else { return Ok(None) };
    let (birth, file) = (&origin.birth, settings_of(origin)?);
    let mood = status.affect.as_ref().map(|affect| affect.mood_pad);
    Ok(Some(Grave {
        id: place.id,
        name: birth.name.clone(),
        cause: death.cause.name().to_owned(),
        died_of: in_a_word(&death.cause),
        cause_in_words: cause(&death.cause),
        age_days: death.age.age().as_days(),
        died_at: birth.born_at.after(death.age.age()),
        worth_micro_usdc: status.worth(),
        funded_micro_usdc: status.funded,
        generation: birth.generation,
        lineage: birth.lineage,
        parent: birth.parent,
        last_words: testament::stored(reader)?
            .filter(|_| file.testament.sealed_to.is_empty())
            .map(|left| left.last_words.text().to_owned()),
        mood,
        mood_rgb: mood.map(mood_rgb),
        price: status.price,
        market: market(&file),
        same_market: None,
    }))
}
