//! `bardo clade status|siblings|sync`: how golems of this home stand with their siblings elsewhere.

use crate::birth::settings_of;
use crate::cli::{CladeCommand, KinVisit};
use crate::fail::Fail;
use crate::ferry;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_ferry::{CladeStanding, SiblingSeen, crossed_once};
use golem_runtime::Reader;
use golem_view::time;

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
    let owner = Some(ferry::clade_key(home)?.owner().to_string());
    let (id, name, relay) = (place.id.to_string(), place.name.to_string(), file.styx.relay);
    let standing = CladeStanding { id, name, relay, owner, ..CladeStanding::default() };
    standing.with_file(&place.dir, now_s()).map(Some).map_err(file_fault)
}

fn now_s() -> u64 {
    u64::try_from(crate::clock::clock().now().0).unwrap_or(0)
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
    let seen = SiblingSeen::all(&place.dir, now_s()).map_err(file_fault)?;
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
