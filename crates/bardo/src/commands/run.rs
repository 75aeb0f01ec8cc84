//! `bardo golem run ID...`.

use crate::auto::{self, Registrar};
use crate::cli::Run;
use crate::courier::Courier;
use crate::fail::Fail;
use crate::ferry::FerryDock;
use crate::fleet;
use crate::golem_file::{ChainWord, GolemFile};
use crate::herald::Herald;
use crate::home::{Home, Place};
use crate::obituary;
use crate::out::Out;
use crate::pulse::Pulse;
use crate::run_loop::{self, Ears, RunPlan, Sink};
use crate::screen::Nobody;
use crate::stored::parse;
use golem_clade::succession::SuccessionNext;
use golem_core::Elapsed;
use golem_life::{LifeStanding, Status};
use golem_runtime::{Pace, Reader, StatusRow, WhyBack};
use golem_view::time;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};

/// What others rely on.
#[derive(Debug, Serialize)]
struct RunReport {
    id: String,
    name: String,
    tick: u64,
    alive: bool,
    standing: LifeStanding,
    phase: String,
    hash: String,
    stopped_by: String,
    /// Those whose heirs have lived in this run before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    succeeds: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Let them live.
pub fn run(args: &Run, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let places = chosen(args, home)?;
    // With events on stdout, the result must not stand among them.
    let silent = args.events.as_deref() == Some("-");
    if places.is_empty() {
        return nobody(silent, home, out);
    }
    let models = args.models.as_deref().map(|path| GolemFile::load(path, &[])).transpose()?;
    let nodes = args.nodes.as_deref().map(|path| GolemFile::load(path, &[])).transpose()?;
    let plan = RunPlan {
        home,
        chains: Default::default(),
        passphrase: Some(&args.passphrase),
        pace: args.speed,
        clock: crate::clock::clock(),
        stop: run_loop::stop_on_signals()?,
        world: args.world.as_deref(),
        accept_rollback: args.accept_rollback,
        blind: false,
        snapshots: true,
        models: models.as_ref().map(|file| &file.inference),
        nodes: nodes.as_ref().map(|file| &file.chain.rpc),
    };
    let sink = run_loop::events(args.events.as_deref())?;
    let herald = Herald::begin(home, &places, *out);
    let courier = Courier::begin(home, &places);
    let dock = FerryDock::begin(home, &places, args.relay.as_deref(), *out)?;
    let identities = Registrar::begin(home, &plan.chains, *out);
    let done = match &places[..] {
        [place] => {
            line(place, args, &plan, &dock, sink.as_ref(), home_flag, out).and_then(|(last, told)| match silent {
                true => Ok(()),
                false => out.result(&told, || match obituary::read(&last.dir) {
                    Ok(life) if !told.alive => obituary::text(&life, out, home_flag),
                    _ => summary(&told),
                }),
            })
        }
        many if args.ticks.is_none() => several(many, &plan, &dock, sink.as_ref(), silent, out),
        _ => Err(Fail::hint("--ticks is for one golem", "run them one by one, or stop the fleet with Ctrl-C")),
    };
    drop(identities);
    // A death is not undone by a full disk: what cannot be deposited now is deposited by the next command of the library.
    if let Err(why) = crate::library::bury_dead(&places, home, out) {
        out.alert(&format!("the deposit waits for the next bardo library list: {why}"));
    }
    if let Some(why) = courier.end() {
        out.alert(&format!("letters could not be carried at some time: {why}"));
    }
    // The last words go across too.
    drop(dock);
    drop(herald);
    run_loop::settle(sink.as_ref()).and(done).and(plan.chains.close())
}

/// All of them are dead. Whoever was killed before it could tell of the last death has left that to us.
fn nobody(silent: bool, home: &Home, out: &Out) -> Result<(), Fail> {
    drop(Herald::begin(home, &[], *out));
    let words = "all golems of this home are dead: nobody is left to run";
    if silent {
        out.say(words);
        return Ok(());
    }
    out.result(&Vec::<RunReport>::new(), || words.to_owned())
}

/// One golem and, where its owner said so beforehand, its heirs after it: each as if it had been asked for by itself.
fn line(
    first: &Place,
    args: &Run,
    plan: &RunPlan<'_>,
    dock: &FerryDock<'_>,
    sink: Option<&Sink>,
    home_flag: &str,
    out: &Out,
) -> Result<(Place, RunReport), Fail> {
    run_loop::choose_world(first, plan)?;
    let (mut place, mut succeeds) = (first.clone(), Vec::new());
    loop {
        let told = one(&place, args, plan, sink.cloned(), home_flag, out)?;
        let heir = match told.standing {
            LifeStanding::Dead => succession(&place, args.ticks.is_none(), plan, out).unwrap_or_else(|why| {
                // A death is not undone by what keeps its successor.
                out.alert(&format!("{}: its successor waits: {why}", place.name));
                None
            }),
            _ => None,
        };
        let Some(heir) = heir.filter(|_| args.ticks.is_none()) else {
            return Ok((place, RunReport { succeeds, ..told }));
        };
        out.say(&summary(&told));
        succeeds.push(place.id.to_string());
        if let Err(why) = crate::library::bury_dead(std::slice::from_ref(&place), plan.home, out) {
            out.alert(&format!("the deposit waits for the next bardo library list: {why}"));
        }
        dock.joins(&heir);
        place = heir;
    }
}

/// The heir of a death, if it is to live here: retries are waited for, as long as nobody asks to stop.
fn succession(place: &Place, waits: bool, plan: &RunPlan<'_>, out: &Out) -> Result<Option<Place>, Fail> {
    loop {
        let Some(told) = auto::attend(place, plan.home, &plan.chains, false, out)? else { return Ok(None) };
        let SuccessionNext::Wait(until) = told.next else { return Ok(told.here) };
        if !waits || plan.stop.is_raised() {
            return Ok(None);
        }
        let left_s = u64::try_from(until.0.saturating_sub(plan.clock.now().0)).unwrap_or(0).max(1);
        out.say(&format!("{}: its successor is tried again in {}", place.name, time::span(left_s)));
        plan.clock.wait_until(plan.clock.monotonic_ms().saturating_add(left_s.saturating_mul(1_000)), &plan.stop);
    }
}

fn one(
    place: &Place,
    args: &Run,
    plan: &RunPlan<'_>,
    sink: Option<Sink>,
    home_flag: &str,
    out: &Out,
) -> Result<RunReport, Fail> {
    let status = Reader::open(&place.dir).and_then(|r| r.status())?;
    let standing = status.as_ref().map_or(LifeStanding::Alive, |row| row.standing);
    if standing == LifeStanding::Paused {
        out.say(&format!("{0} is paused; let it go on: bardo golem resume {0}", place.name));
    }
    let file = settings(place)?;
    let turns = if args.ticks.is_some() { args.ticks } else { turns_left(&file, status)? };
    let (pace, interval) = (plan.pace_of(&file), Elapsed::secs(file.heartbeat.tick_interval_s.max(1)));
    if !standing.is_final() {
        out.say(&announced(place, pace, interval, turns, home_flag));
    }
    let pulse = || Pulse::of(&place.dir, pace, interval, turns, plan.clock.clone(), *out);
    let watch = (!out.quiet && sink.is_none()).then(pulse);
    let models = crate::models::watched(plan.models.unwrap_or(&file.inference));
    let ears = Ears { sink, watch, stop: plan.stop.clone(), name: place.name.clone(), out: *out, models };
    let why = run_loop::run_one(run_loop::open(place, plan, ears)?, args.ticks)?;
    if why == WhyBack::Died {
        crate::testament::leave(place, out);
    }
    let told = tell(place, &why)?;
    if matches!(why, WhyBack::Stopped | WhyBack::TurnsDone) && told.standing != LifeStanding::Dead {
        let (name, turn) = (&place.name, golem_view::money::grouped(u128::from(told.tick)));
        out.say(&format!("{name} stops after turn {turn}, and nothing is lost; it goes on with:"));
        out.say(&format!("  bardo{home_flag} golem run {name}"));
    }
    Ok(told)
}

/// What is going to happen, and how to end it.
fn announced(place: &Place, pace: Pace, interval: Elapsed, turns: Option<u64>, home_flag: &str) -> String {
    let name = &place.name;
    let every = pace.period_us(interval).map_or(String::new(), |us| match us / 1_000_000 {
        0 => String::new(),
        s => format!(": a turn every {}", time::span(s)),
    });
    let left = turns.map_or(String::new(), |n| format!(", {} turns", golem_view::money::grouped(u128::from(n))));
    let how = match pace {
        Pace::Real => format!("in real time{every}"),
        Pace::Max => format!("as fast as it goes{left}"),
        Pace::Times(factor) => format!("{factor} times as fast as real time{every}"),
    };
    format!(
        "{name} lives {how}\nstop it with Ctrl-C: nothing is lost\n\
         keep it from new risk: bardo{home_flag} golem halt {name} --reason WHY"
    )
}

/// Each as if alone: one that cannot be opened, or stops over an error, does not keep the others from living.
fn several(
    places: &[Place],
    plan: &RunPlan<'_>,
    dock: &FerryDock<'_>,
    sink: Option<&Sink>,
    silent: bool,
    out: &Out,
) -> Result<(), Fail> {
    let _limit = golem_runtime::raise_open_files();
    let mut living = places.to_vec();
    fleet::longest_asleep_first(&mut living);
    let crew = Crew { plan, dock, sink, out, heirs: Mutex::new(Vec::new()) };
    let openings = living.iter().map(|place| (crew.opening(place, true), crew.afterlife(place))).collect();
    out.say(&format!("{} golems live side by side; Ctrl-C stops them all, and nothing is lost", living.len()));
    let _tidings = fleet::Tidings::begin(places, *out);
    let ends = fleet::run(openings, plan.clock.clone(), plan.stop.clone());
    let told = |(place, end): (&Place, Result<WhyBack, Fail>)| {
        let told = end.and_then(|why| {
            if why == WhyBack::Died {
                crate::testament::leave(place, out);
            }
            tell(place, &why)
        });
        told.unwrap_or_else(|e| failed(place, &e))
    };
    let mut all: Vec<RunReport> = living.iter().zip(ends).map(told).collect();
    for heir in crew.heirs.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        all.push(tell(heir, &WhyBack::Stopped).unwrap_or_else(|e| failed(heir, &e)));
    }
    let order = |told: &RunReport| places.iter().position(|p| p.id.to_string() == told.id);
    all.sort_by_key(order);
    if !silent {
        out.result(&all, || all.iter().map(summary).collect::<Vec<_>>().join("\n"))?;
    }
    match all.iter().filter(|t| t.error.is_some()).count() {
        0 => Ok(()),
        n => Err(Fail::world(format!("{n} of {} golems stopped over an error", all.len()))),
    }
}

/// What the golems of a fleet are opened with, and the heirs that have come to it meanwhile.
struct Crew<'a> {
    plan: &'a RunPlan<'a>,
    dock: &'a FerryDock<'a>,
    sink: Option<&'a Sink>,
    out: &'a Out,
    heirs: Mutex<Vec<Place>>,
}

impl<'a> Crew<'a> {
    fn opening(&'a self, place: &Place, first: bool) -> fleet::Opening<'a> {
        let (plan, out) = (self.plan, self.out);
        let (place, name, stop) = (place.clone(), place.name.clone(), plan.stop.clone());
        let file = match settings(&place) {
            Ok(file) => file,
            Err(why) => return Box::new(move || Err(why)),
        };
        let models = crate::models::watched(plan.models.unwrap_or(&file.inference));
        let ears = Ears::<Nobody> { sink: self.sink.cloned(), watch: None, stop, name, out: *out, models };
        let open = move || {
            // An heir lives where it was born, whatever world was asked for.
            if first {
                run_loop::choose_world(&place, plan)?;
            }
            run_loop::open(&place, plan, ears)
        };
        if file.chain.kind == ChainWord::Rpc {
            // Whoever may have to be asked for a passphrase is asked before anything else goes on.
            let opened = open();
            return Box::new(move || opened);
        }
        Box::new(open)
    }

    /// What comes after a golem of the fleet: its heir, where its owner said so beforehand.
    fn afterlife(&'a self, place: &Place) -> fleet::Afterlife<'a> {
        let (place, mut left) = (place.clone(), false);
        Box::new(move || {
            if !std::mem::replace(&mut left, true) {
                crate::testament::leave(&place, self.out);
            }
            let plan = self.plan;
            let attended = auto::attend(&place, plan.home, &plan.chains, false, self.out).unwrap_or_else(|why| {
                self.out.alert(&format!("{}: its successor waits: {why}", place.name));
                None
            });
            let Some(told) = attended else { return fleet::Afterwards::Over };
            if let SuccessionNext::Wait(until) = told.next {
                let left_s = u64::try_from(until.0.saturating_sub(plan.clock.now().0)).unwrap_or(0).max(1);
                return fleet::Afterwards::Wait(left_s);
            }
            let Some(heir) = told.here else { return fleet::Afterwards::Over };
            self.dock.joins(&heir);
            self.heirs.lock().unwrap_or_else(PoisonError::into_inner).push(heir.clone());
            fleet::Afterwards::Heir(self.opening(&heir, false), self.afterlife(&heir))
        })
    }
}

/// The settings that a golem was born with.
fn settings(place: &Place) -> Result<GolemFile, Fail> {
    crate::birth::settings_of(&Reader::open(&place.dir)?.origin()?)
}

/// What is known of a golem that could not go on.
fn failed(place: &Place, why: &Fail) -> RunReport {
    let known = tell(place, &WhyBack::Stopped).ok();
    let blank = RunReport {
        id: place.id.to_string(),
        name: place.name.to_string(),
        tick: 0,
        alive: true,
        standing: LifeStanding::Alive,
        phase: "unknown".to_owned(),
        hash: String::new(),
        stopped_by: "an error".to_owned(),
        succeeds: Vec::new(),
        error: None,
    };
    RunReport { error: Some(why.to_string()), ..known.unwrap_or(blank) }
}

/// Who is to live; nobody where everybody was asked for and all are dead.
fn chosen(args: &Run, home: &Home) -> Result<Vec<Place>, Fail> {
    let mut places: Vec<Place> = Vec::new();
    if args.all {
        let all = home.golems()?;
        if all.is_empty() {
            return Err(Fail::hint("there is no golem in this home", "create one: bardo golem create NAME"));
        }
        for place in all {
            // A damaged one is tried all the same, and says so.
            let status = Reader::open(&place.dir).and_then(|r| r.status());
            let dead = matches!(status, Ok(Some(s)) if s.standing == LifeStanding::Dead);
            if !dead || succession_is_open(&place, home) {
                places.push(place);
            }
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

/// Whether a dead one waits for a successor that nobody was born as yet: whoever runs everybody goes on with it.
fn succession_is_open(place: &Place, home: &Home) -> bool {
    auto::find(home).is_ok_and(|estate| estate.case(place.id).is_some_and(|c| c.is_open() && c.funded.is_none()))
}

/// How many turns a recorded market has left for this golem, if it lives in one.
fn turns_left(file: &GolemFile, status: Option<StatusRow>) -> Result<Option<u64>, Fail> {
    let Some(ends) = crate::world::build(&file.world)?.ends_at() else { return Ok(None) };
    let status: Option<Status> = status.map(|row| parse(&row.body)).transpose()?;
    let left_s = (ends.age().as_days() - status.map_or(0.0, |s| s.age_days)).max(0.0) * 86_400.0;
    Ok(Some((left_s / file.heartbeat.tick_interval_s.max(1) as f64) as u64))
}

fn tell(place: &Place, why: &WhyBack) -> Result<RunReport, Fail> {
    let reader = Reader::open(&place.dir)?;
    let (tick, hash) = reader.tip()?;
    let status: Option<Status> = reader.status()?.map(|row| parse(&row.body)).transpose()?;
    let dead = status.as_ref().is_some_and(|s| s.standing == LifeStanding::Dead);
    Ok(RunReport {
        id: place.id.to_string(),
        name: place.name.to_string(),
        tick: tick.0,
        alive: status.as_ref().is_none_or(|s| s.standing != LifeStanding::Dead),
        standing: status.as_ref().map_or(LifeStanding::Alive, |s| s.standing),
        phase: status.map_or_else(|| "newborn".to_owned(), |s| s.phase.to_string()),
        hash: hash.to_string(),
        // Whoever was run in its place may have ended otherwise.
        stopped_by: match if dead { &WhyBack::Died } else { why } {
            WhyBack::Stopped => "request".to_owned(),
            WhyBack::Died => "death".to_owned(),
            WhyBack::Paused => "pause".to_owned(),
            WhyBack::WorldEnded => "the end of recorded history".to_owned(),
            WhyBack::TurnsDone => "the turns asked for".to_owned(),
            WhyBack::Unreconciled { key } => format!("an effect that may still land ({key}); run again later"),
        },
        succeeds: Vec::new(),
        error: None,
    })
}

fn summary(told: &RunReport) -> String {
    let state = if told.standing == LifeStanding::Alive { &told.phase } else { told.standing.name() };
    let end = told.error.as_ref().map_or_else(|| format!("stopped by {}", told.stopped_by), |e| format!("failed: {e}"));
    format!("{} · turn {} · {state} · {end} · {}", told.name, told.tick, told.hash.get(..8).unwrap_or_default())
}
