//! `bardo clade status|siblings|sync`: how golems of this home stand with their siblings elsewhere.

use crate::birth::settings_of;
use crate::cli::{CladeCommand, KinVisit};
use crate::fail::Fail;
use crate::ferry;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_ferry::{FerryFile, FerryState, crossed_once};
use golem_runtime::Reader;
use golem_view::time;
use serde::Serialize;

/// How one golem stands with the relay.
#[derive(Debug, Serialize)]
struct CladeStanding {
    id: String,
    name: String,
    relay: String,
    owner: String,
    /// Deltas that it has made, and those that the relay has not said to keep.
    told: u64,
    waiting: u64,
    siblings: usize,
    /// What waits to be handed to it, and what had no room.
    queued: usize,
    dropped: u64,
    /// Seconds since it was last let in; none before.
    met_s_ago: Option<u64>,
    backed_up_tick: Option<u64>,
    /// What its owner should know, the newest first.
    notices: Vec<String>,
}

/// A sibling as a golem knows it.
#[derive(Debug, Serialize)]
struct SiblingSeen {
    id: String,
    phase: Option<String>,
    vitality: Option<f64>,
    terms: Option<String>,
    tick: Option<u64>,
    dreaming: Option<bool>,
    pulse_s_ago: Option<u64>,
}

pub fn run(command: &CladeCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        CladeCommand::Status { id } => status(id.as_deref(), home, out),
        CladeCommand::Siblings { id } => siblings(id, home, out),
        CladeCommand::Sync(visit) => sync(visit, home, out),
    }
}

fn file_fault(e: golem_ferry::FerryFault) -> Fail {
    Fail::world(e.to_string())
}

fn status(id: Option<&str>, home: &Home, out: &Out) -> Result<(), Fail> {
    let places = match id {
        Some(id) => vec![home.golem(id)?],
        None => home.golems()?,
    };
    let mut all = Vec::new();
    for place in &places {
        match standing(place, home) {
            Ok(standing) => all.extend(standing),
            Err(why) if id.is_some() => return Err(why),
            Err(why) => out.alert(&format!("{}: {why}", place.name)),
        }
    }
    out.result(&all, || match all.is_empty() {
        true => {
            "no golem of this home speaks with siblings\n  bardo golem create NAME --set styx.enabled=true".to_owned()
        }
        false => all.iter().map(words).collect::<Vec<_>>().join("\n"),
    })
}

fn standing(place: &Place, home: &Home) -> Result<Option<CladeStanding>, Fail> {
    let file = settings_of(&Reader::open(&place.dir)?.origin()?)?;
    if !file.styx.enabled {
        return Ok(None);
    }
    let owner = ferry::clade_key(home)?.owner().to_string();
    let found = FerryFile::look(&place.dir).map_err(file_fault)?;
    let mut standing = CladeStanding {
        id: place.id.to_string(),
        name: place.name.to_string(),
        relay: file.styx.relay,
        owner,
        told: 0,
        waiting: 0,
        siblings: 0,
        queued: 0,
        dropped: 0,
        met_s_ago: None,
        backed_up_tick: None,
        notices: Vec::new(),
    };
    if let Some((kept, state)) = found {
        standing.waiting = kept.waiting().map_err(file_fault)?;
        standing.notices = kept.notices(5).map_err(file_fault)?.into_iter().map(|(_, text)| text).collect();
        standing.told = state.head.seq;
        standing.siblings = state.siblings.len();
        standing.queued = state.queue.waiting();
        standing.dropped = state.queue.dropped();
        standing.met_s_ago = state.met_ms.map(seconds_ago);
        standing.backed_up_tick = state.backed_up.map(|tick| tick.0);
    }
    Ok(Some(standing))
}

fn seconds_ago(at_ms: u64) -> u64 {
    let now = u64::try_from(crate::clock::clock().now().0).unwrap_or(0);
    now.saturating_sub(at_ms / 1_000)
}

fn words(s: &CladeStanding) -> String {
    let met = s.met_s_ago.map_or_else(|| "never met".to_owned(), |ago| format!("met {} ago", time::span(ago)));
    let backup = s.backed_up_tick.map_or_else(String::new, |tick| format!(" · backed up at turn {tick}"));
    let mut lines = vec![format!(
        "{} · {} · {met} · {} siblings · {} told, {} wait · {} to be heard{backup}",
        s.name, s.relay, s.siblings, s.told, s.waiting, s.queued
    )];
    lines.extend(s.notices.iter().map(|text| format!("  {text}")));
    crate::lines::folded(&lines.join("\n"))
}

fn siblings(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    let found = FerryFile::look(&place.dir).map_err(file_fault)?;
    let seen: Vec<SiblingSeen> = found.map(|(_, state)| seen(&state)).unwrap_or_default();
    out.result(&seen, || {
        if seen.is_empty() {
            return format!("{} has met no siblings yet", place.name);
        }
        let line = |s: &SiblingSeen| match (&s.phase, s.vitality, s.pulse_s_ago) {
            (Some(phase), Some(vitality), Some(ago)) => {
                let terms = s.terms.as_deref().unwrap_or("mortal");
                format!("{} · {phase} · vitality {vitality:.2} · {terms} · {} ago", s.id, time::span(ago))
            }
            _ => format!("{} · no pulse", s.id),
        };
        seen.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn seen(state: &FerryState) -> Vec<SiblingSeen> {
    let of = |s: &golem_ferry::KnownSibling| {
        let pulse = s.pulse.as_ref().map(|p| &p.words);
        SiblingSeen {
            id: s.certificate.words.golem.to_string(),
            phase: pulse.map(|p| p.phase.to_string()),
            vitality: pulse.map(|p| f64::from(p.vitality) / 1_000.0),
            terms: pulse.map(|p| golem_core::plain::word(&p.terms)),
            tick: pulse.map(|p| p.tick),
            dreaming: pulse.map(|p| p.dreaming),
            pulse_s_ago: pulse.map(|_| seconds_ago(s.heard_ms)),
        }
    };
    state.siblings.iter().map(of).collect()
}

fn sync(visit: &KinVisit, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(&visit.id)?;
    let passenger = ferry::passenger(home, &place, visit.relay.as_deref())?;
    let (talk, name) = (*out, place.name.clone());
    let crossed = crossed_once(passenger, move |text| talk.alert(&format!("{name}: {text}")));
    crossed.map_err(|e| match e {
        golem_ferry::DialFault::File(why) => Fail::world_hint(why, "a golem that runs goes across by itself"),
        e => ferry::fail(&e),
    })?;
    let told = standing(&place, home)?;
    out.result(&told, || told.as_ref().map(words).unwrap_or_default())
}
