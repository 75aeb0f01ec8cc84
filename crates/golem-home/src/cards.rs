//! Golems at a glance: one card for each of a home.

use crate::asked;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::origins::settings_of;
use crate::stored::parse;
use golem_core::{Timestamp, Usdc};
use golem_life::{LifeStanding, Status};
use golem_runtime::Reader;
use golem_view::cause::in_a_word;
use golem_view::thinking::ModelsAsked;
use serde::Serialize;

/// What `golem list --json` prints of a golem; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct GolemCard {
    pub id: String,
    pub name: String,
    pub standing: String,
    pub phase: Option<String>,
    pub tick: u64,
    pub age_days: f64,
    /// Net asset value, as its status has it.
    pub balance_micro_usdc: Option<u64>,
    /// That, and what it has sent home: what every list shows.
    pub worth_micro_usdc: Option<u64>,
    pub safe_mode: bool,
    /// Of what it died, or is dying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The same, in a word or two for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub died_of: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// All that it shows of itself; none before its first turn, or where its file cannot be read.
    #[serde(skip)]
    pub status: Option<Box<Status>>,
}

/// The cards of a home, by name.
pub fn cards(home: &Home) -> Result<Vec<GolemCard>, Fail> {
    Ok(home.golems()?.iter().map(|place| card(place, home)).collect())
}

/// One of them. A file that cannot be read is a card with a problem: it must not hide the others.
pub fn card(place: &Place, home: &Home) -> GolemCard {
    let mut card = glance(place);
    card.problem = home.is_at_home(place).err().map(|e| e.to_string()).or(card.problem);
    card
}

/// The same of one that is known to live where it belongs.
pub fn glance(place: &Place) -> GolemCard {
    let mut card = GolemCard {
        id: place.id.to_string(),
        name: place.name.to_string(),
        standing: "newborn".to_owned(),
        phase: None,
        tick: 0,
        age_days: 0.0,
        balance_micro_usdc: None,
        worth_micro_usdc: None,
        safe_mode: false,
        cause: None,
        died_of: None,
        problem: None,
        status: None,
    };
    let reader = Reader::open(&place.dir);
    card.safe_mode = reader.as_ref().is_ok_and(|r| r.is_safe_mode().unwrap_or(false));
    let status = reader.and_then(|r| r.status()).map_err(Fail::from);
    match status.and_then(|s| s.map(|s| parse(&s.body)).transpose()) {
        Ok(Some(s)) => card.fill(s),
        Ok(None) => {}
        Err(e) => card.problem = Some(e.to_string()),
    }
    card
}

impl GolemCard {
    fn fill(&mut self, s: Status) {
        self.standing = s.standing.name().to_owned();
        self.phase = Some(if s.standing == LifeStanding::Alive { s.phase.to_string() } else { self.standing.clone() });
        self.tick = s.tick.0;
        // Turns of dying are no part of a life's length.
        self.age_days = s.death.as_ref().map_or(s.age_days, |death| death.age.age().as_days());
        self.cause = s.death.as_ref().map(|death| death.cause.name().to_owned());
        self.died_of = s.death.as_ref().map(|death| in_a_word(&death.cause));
        self.balance_micro_usdc = Some(s.balance.0);
        self.worth_micro_usdc = Some(s.worth().0);
        self.status = Some(Box::new(s));
    }
}

/// The golem's own words, and what its file adds: what `golem status --json` prints.
#[derive(Debug, Clone, Serialize)]
pub struct StatusReport {
    #[serde(flatten)]
    pub status: Status,
    pub safe_mode: bool,
    /// What models did, for a golem that has or had some.
    pub models: Option<Thinks>,
    #[serde(skip)]
    pub born_at: Timestamp,
}

/// Models, today and ever.
#[derive(Debug, Clone, Serialize)]
pub struct Thinks {
    #[serde(flatten)]
    pub ever: ModelsAsked,
    pub asked_today: u32,
    #[serde(rename = "spent_today_micro_usdc")]
    pub spent_today: Usdc,
}

/// The last committed status.
pub fn status(place: &Place) -> Result<Status, Fail> {
    let row = Reader::open(&place.dir)?.status()?;
    let row = row.ok_or_else(|| {
        Fail::hint(
            format!("{} has not taken a turn yet", place.name),
            format!("let it live: bardo golem run {}", place.name),
        )
    })?;
    parse(&row.body)
}

/// The last committed status, with what the file says beside it.
pub fn report(place: &Place, status: Status) -> Result<StatusReport, Fail> {
    let reader = Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    let ever = asked::asked(&reader, origin.birth.id)?;
    let has_some = ever != ModelsAsked::default() || asked::watched(&settings_of(&origin)?.inference).is_some();
    let (asked_today, spent_today) = (status.thought.calls, status.thought.cost);
    let models = has_some.then_some(Thinks { ever, asked_today, spent_today });
    Ok(StatusReport { status, safe_mode: reader.is_safe_mode()?, models, born_at: origin.birth.born_at })
}
