//! `bardo golem run ID...`.

use crate::cli::Run;
use crate::commands::demo::Screen;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::obituary;
use crate::out::Out;
use crate::run_loop::{self, Ears, Nobody, Plan};
use golem_life::{Standing, Status};
use golem_runtime::{Reader, Why};
use serde::Serialize;

/// What others rely on.
#[derive(Debug, Serialize)]
struct Told {
    id: String,
    name: String,
    tick: u64,
    alive: bool,
    phase: String,
    hash: String,
    stopped_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Let them live.
pub fn run(args: &Run, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let places = chosen(args, home)?;
    let (stop, clock) = (run_loop::stop_on_signals()?, run_loop::clock());
    let plan = Plan {
        pace: args.speed,
        clock: clock.clone(),
        stop: stop.clone(),
        world: args.world.as_deref(),
        snapshots: true,
    };
    let sink = run_loop::events(args.events.as_deref())?;
    if let [place] = &places[..] {
        let turns = args.ticks.or_else(|| turns_left(place));
        let watch = (!out.quiet && sink.is_none()).then(|| Screen::new(*out, turns));
        let ears = Ears { sink, watch, stop };
        let why = run_loop::run_one(run_loop::open(place, &plan, ears)?, args.ticks)?;
        let told = tell(place, &why)?;
        let dead = !told.alive;
        // With events on stdout, the result must not stand among them.
        if args.events.as_deref() == Some("-") {
            return Ok(());
        }
        return out.result(&told, || match obituary::read(&place.dir) {
            Ok(obituary) if dead => obituary.text(out, home_flag),
            _ => summary(&told),
        });
    }
    if args.ticks.is_some() {
        return Err(Fail::hint("--ticks is for one golem", "run them one by one, or stop the fleet with Ctrl-C"));
    }
    let mut runners = Vec::new();
    for place in &places {
        runners.push(run_loop::open(
            place,
            &plan,
            Ears::<Nobody> { sink: sink.clone(), watch: None, stop: stop.clone() },
        )?);
    }
    out.say(&format!("{} golems live side by side; Ctrl-C stops them all", runners.len()));
    let mut all = Vec::new();
    for (place, end) in places.iter().zip(run_loop::run_many(runners, clock, stop)) {
        let told = match end {
            Ok(why) => tell(place, &why)?,
            Err(e) => Told { error: Some(e.to_string()), ..tell(place, &Why::Stopped)? },
        };
        all.push(told);
    }
    let failed = all.iter().filter(|t| t.error.is_some()).count();
    out.result(&all, || all.iter().map(summary).collect::<Vec<_>>().join("\n"))?;
    if failed > 0 {
        Err(Fail::world(format!("{failed} of {} golems stopped over an error", all.len())))
    } else {
        Ok(())
    }
}

fn chosen(args: &Run, home: &Home) -> Result<Vec<Place>, Fail> {
    let mut places: Vec<Place> = Vec::new();
    if args.all {
        for place in home.golems()? {
            let dead = Reader::open(&place.dir)?.status()?.is_some_and(|s| s.standing == "dead");
            if !dead {
                places.push(place);
            }
        }
        if places.is_empty() {
            return Err(Fail::hint("no golem of this home is alive", "create one: bardo golem create NAME"));
        }
        return Ok(places);
    }
    for id in &args.ids {
        let place = home.golem(id)?;
        if places.iter().all(|p| p.id != place.id) {
            places.push(place);
        }
    }
    Ok(places)
}

/// How many turns a recorded market has left for this golem, if it lives in one.
fn turns_left(place: &Place) -> Option<u64> {
    let reader = Reader::open(&place.dir).ok()?;
    let file = crate::birth::settings_of(&reader.origin().ok()?).ok()?;
    let ends = crate::world::build(&file.world).ok()?.ends_at()?;
    let lived = reader.status().ok()?.and_then(|row| obituary::parse(&row.body).ok()).map_or(0.0, |s| s.age_days);
    let left_s = (ends.age().as_days() - lived).max(0.0) * 86_400.0;
    Some((left_s / file.heartbeat.tick_interval_s.max(1) as f64) as u64)
}

fn tell(place: &Place, why: &Why) -> Result<Told, Fail> {
    let reader = Reader::open(&place.dir)?;
    let (tick, hash) = reader.tip()?;
    let status: Option<Status> = reader.status()?.map(|row| obituary::parse(&row.body)).transpose()?;
    Ok(Told {
        id: place.id.to_string(),
        name: place.name.to_string(),
        tick: tick.0,
        alive: status.as_ref().is_none_or(|s| s.standing != Standing::Dead),
        phase: status.map_or_else(|| "unborn".to_owned(), |s| s.phase.to_string()),
        hash: hash.to_string(),
        stopped_by: match why {
            Why::Stopped => "asked to stop".to_owned(),
            Why::Died => "death".to_owned(),
            Why::Paused => "pause".to_owned(),
            Why::WorldEnded => "the end of recorded history".to_owned(),
            Why::TurnsDone => "the turns asked for".to_owned(),
            Why::Unreconciled { key } => format!("an effect that may still land ({key}); run again later"),
        },
        error: None,
    })
}

fn summary(told: &Told) -> String {
    let state = if told.alive { told.phase.clone() } else { "dead".to_owned() };
    let end = told.error.as_ref().map_or_else(|| format!("stopped by {}", told.stopped_by), |e| format!("failed: {e}"));
    format!("{} · turn {} · {state} · {end} · {}", told.name, told.tick, &told.hash[..16])
}
