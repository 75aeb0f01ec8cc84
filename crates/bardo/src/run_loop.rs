//! Letting golems live: opens files, wires signals, clocks and listeners, and runs them alone or as a fleet.

use crate::birth;
use crate::fail::Fail;
use crate::home::Place;
use crate::world;
use golem_core::fact::{Envelope, FactBody};
use golem_life::paper::PaperHands;
use golem_life::{Fact, Life};
use golem_runtime::{
    Around, Clock, InProcess, Listener, Member, Notice, OpenOptions, Options, Pace, RealClock, Runner, StopFlag, Store,
    Until, Why,
};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The real runner.
pub type LifeRunner = Runner<Life, world::AnyWorld, InProcess<PaperHands>>;

/// A clean stop on SIGINT and SIGTERM; a second one ends the process at once, which is no death either.
pub fn stop_on_signals() -> Result<StopFlag, Fail> {
    let stop = StopFlag::default();
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM])?;
    let flag = stop.clone();
    std::thread::spawn(move || {
        for n in 0.. {
            if signals.forever().next().is_none() || n > 0 {
                std::process::exit(130);
            }
            flag.raise();
        }
    });
    Ok(stop)
}

/// Where facts go as JSON lines; shared by the golems of a fleet.
pub type Sink = Arc<Mutex<Box<dyn Write + Send>>>;

/// Open the sink that `--events` names.
pub fn events(word: Option<&str>) -> Result<Option<Sink>, Fail> {
    let writer: Box<dyn Write + Send> = match word {
        None => return Ok(None),
        Some("-") => Box::new(std::io::stdout()),
        Some(path) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let file = file.map_err(|e| Fail::owner(format!("cannot write events to {path}: {e}")))?;
            Box::new(std::io::BufWriter::new(file))
        }
    };
    Ok(Some(Arc::new(Mutex::new(writer))))
}

/// What a fact does on its way out: to the sink as a line, and to whoever watches.
pub struct Ears<W> {
    /// JSON lines.
    pub sink: Option<Sink>,
    /// Someone watching a screen.
    pub watch: Option<W>,
    /// Stops the run when nobody can hear any more.
    pub stop: StopFlag,
}

/// Someone watching a screen.
pub trait Watch: Send {
    /// A fact, as it becomes durable.
    fn fact(&mut self, fact: &Envelope<Fact>);
    /// Talk of the loop.
    fn notice(&mut self, notice: &Notice);
}

/// Nobody.
pub struct Nobody;

impl Watch for Nobody {
    fn fact(&mut self, _: &Envelope<Fact>) {}
    fn notice(&mut self, _: &Notice) {}
}

impl<W: Watch> Listener<Fact> for Ears<W> {
    fn wants(&self) -> bool {
        self.sink.is_some() || self.watch.is_some()
    }
    fn fact(&mut self, fact: &Envelope<Fact>) {
        if let Some(watch) = &mut self.watch {
            watch.fact(fact);
        }
        let Some(sink) = &self.sink else { return };
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        let told =
            serde_json::to_writer(&mut **sink, fact).map_err(std::io::Error::from).and_then(|()| sink.write_all(b"\n"));
        // A listener that is gone must not silently lose facts: the golem stops, cleanly, and can be resumed.
        if told.is_err() {
            self.stop.raise();
        }
        if fact.body.name() == "mortality.dead" {
            let _flushed = sink.flush();
        }
    }
    fn notice(&mut self, notice: &Notice) {
        if let Some(watch) = &mut self.watch {
            watch.notice(notice);
        }
    }
}

impl<W> Drop for Ears<W> {
    fn drop(&mut self) {
        if let Some(sink) = &self.sink {
            let _flushed = sink.lock().unwrap_or_else(PoisonError::into_inner).flush();
        }
    }
}

/// How to run a golem.
pub struct Plan<'a> {
    /// How fast.
    pub pace: Pace,
    /// Time outside.
    pub clock: Arc<dyn Clock>,
    /// The request to stop.
    pub stop: StopFlag,
    /// `--world`, for a golem that has not lived yet.
    pub world: Option<&'a str>,
    /// Whether insurance snapshots are taken.
    pub snapshots: bool,
}

/// Open one golem for living.
pub fn open<W: Watch + 'static>(place: &Place, plan: &Plan<'_>, ears: Ears<W>) -> Result<LifeRunner, Fail> {
    if let Some(word) = plan.world {
        choose_world(place, word)?;
    }
    let store = Store::open(&place.dir, OpenOptions::default(), plan.clock.now())?;
    let genesis = birth::genesis(store.origin())?;
    let world = world::build(&birth::settings_of(store.origin())?.world)?;
    let options = Options { pace: plan.pace, snapshots: plan.snapshots, ..Options::default() };
    let around = Around { options, clock: plan.clock.clone(), stop: plan.stop.clone(), listener: Some(Box::new(ears)) };
    Ok(Runner::open(store, &genesis, world, InProcess(PaperHands), around)?)
}

/// The world is chosen before the first turn and kept for life.
fn choose_world(place: &Place, word: &str) -> Result<(), Fail> {
    let reader = golem_runtime::Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    let (tick, _) = reader.tip()?;
    drop(reader);
    let mut file = birth::settings_of(&origin)?;
    let before = file.world.clone();
    world::choose(&mut file.world, word)?;
    if file.world == before {
        return Ok(());
    }
    if tick.0 > 0 {
        return Err(Fail::hint(
            format!("{} has already lived {tick} turns in another world", place.name),
            "leave --world out, or create another golem",
        ));
    }
    birth::rebirth(place, &origin, file)
}

/// Run one golem to the end of what was asked.
pub fn run_one(mut runner: LifeRunner, turns: Option<u64>) -> Result<Why, Fail> {
    let why = runner.run(Until { turns, ..Until::default() });
    match why {
        Ok(why) => {
            runner.close()?;
            Ok(why)
        }
        Err(e) => Err(e.into()),
    }
}

/// Run several side by side.
pub fn run_many(runners: Vec<LifeRunner>, clock: Arc<dyn Clock>, stop: StopFlag) -> Vec<Result<Why, Fail>> {
    let _limit = golem_runtime::raise_open_files();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let members = runners.into_iter().map(|r| Box::new(r) as Box<dyn Member>).collect();
    golem_runtime::run_fleet(members, threads, clock, stop).into_iter().map(|end| end.map_err(Fail::from)).collect()
}

/// The machine's clock.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(RealClock::default())
}
