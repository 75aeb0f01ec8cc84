//! `bardo clade status|siblings|sync|renew`: how golems of this home stand with their siblings elsewhere.

use crate::birth::settings_of;
use crate::cli::{CladeCommand, KinVisit, RenewClade};
use crate::fail::Fail;
use crate::ferry;
use crate::home::{Home, Place};
use crate::out::Out;
use golem_ferry::{CladeStanding, DialFault, RelayVisit, SiblingSeen, crossed_once};
use golem_runtime::Reader;
use golem_view::time;
use styx_wire::{LAST_EPOCH, RefuseReason};

pub fn run(command: &CladeCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        CladeCommand::Status { id } => status(id.as_deref(), home, out),
        CladeCommand::Siblings { id } => siblings(id, home, out),
        CladeCommand::Sync(visit) => sync(visit, home, out),
        CladeCommand::Renew(args) => renew(args, home, out),
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

/// Another key in place of one that somebody else may have: first the old one is closed for good wherever golems of this home speak.
fn renew(args: &RenewClade, home: &Home, out: &Out) -> Result<(), Fail> {
    let key = ferry::clade_key(home)?;
    let (was, mut closed) = (key.owner().to_string(), Vec::new());
    for place in home.golems()? {
        let file = settings_of(&Reader::open(&place.dir)?.origin()?)?;
        if !file.styx.enabled || closed.contains(&file.styx.relay) {
            continue;
        }
        let words = key.close(LAST_EPOCH, now_s())?;
        let asked = RelayVisit::of(ferry::passenger(home, &place, None)?).close_epochs(words);
        match asked {
            // Who is not let in any more was closed out before.
            Ok(()) | Err(DialFault::Refused(RefuseReason::NotAdmitted)) => closed.push(file.styx.relay),
            Err(why) if args.anyway => {
                out.alert(&format!("{}: the old key is not closed there: {why}", file.styx.relay))
            }
            Err(why) => return Err(ferry::fail(&why)),
        }
    }
    let aside = key.retire(&ferry::clade_path(home))?;
    let is = ferry::clade_key(home)?.owner().to_string();
    let told = serde_json::json!({ "was": was, "is": is, "closed_at": closed, "kept_as": aside });
    out.result(&told, || {
        format!(
            "this home's golems are {is}'s now, and nobody's who has the key of {was}\n  golems that run speak by it when they are started again; \
             siblings in other homes need {}",
            ferry::clade_path(home).display()
        )
    })
}
