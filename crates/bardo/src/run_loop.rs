//! Letting golems live: opens files, wires signals, clocks and listeners, and runs them alone or as a fleet.

use crate::birth;
use crate::chain::{self, Newcomer, OpenChains};
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile, WorldKind};
use crate::home::{Home, Place};
use crate::out::Out;
use crate::screen::{Watcher, notice_words};
use crate::traces::{self, TracedEars};
use crate::world;
use golem_chain::rpc::RpcConfig;
use golem_core::Name;
use golem_core::door::{Idle, InProcess, NoModels};
use golem_core::fact::Envelope;
use golem_inference::InferenceConfig;
use golem_life::Fact;
use golem_runtime::{
    Around, Clock, LifeRunner, Listener, Notice, OpenOptions, Options, Pace, StopFlag, Store, Until, WhyBack,
};
use golem_trace::TracedModels;
use golem_view::thinking::ModelsAsked;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

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
pub type Sink = Arc<Mutex<Telling>>;

/// A stream of facts, and what went wrong with it.
pub struct Telling {
    writer: Box<dyn Write + Send>,
    failed: Option<std::io::Error>,
}

impl Telling {
    fn tell(&mut self, fact: &Envelope<Fact>) -> bool {
        let told = serde_json::to_writer(&mut self.writer, fact)
            .map_err(std::io::Error::from)
            .and_then(|()| self.writer.write_all(b"\n"));
        self.keep(told)
    }
    fn flush(&mut self) -> bool {
        let flushed = self.writer.flush();
        self.keep(flushed)
    }
    fn keep(&mut self, done: std::io::Result<()>) -> bool {
        if let Err(e) = done {
            self.failed.get_or_insert(e);
        }
        self.failed.is_none()
    }
}

/// What went wrong with the events, if anything did: facts that nobody got are no small matter.
pub fn settle(sink: Option<&Sink>) -> Result<(), Fail> {
    let Some(sink) = sink else { return Ok(()) };
    let mut telling = sink.lock().unwrap_or_else(PoisonError::into_inner);
    telling.flush();
    match telling.failed.take() {
        Some(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Fail::Hangup),
        Some(e) => Err(Fail::world(format!("events could not be written ({e}): the golem was stopped"))),
        None => Ok(()),
    }
}

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
    Ok(Some(Arc::new(Mutex::new(Telling { writer, failed: None }))))
}

/// What a fact does on its way out: to the sink as a line, and to whoever watches. A model that begins to fail is told to
/// everyone.
pub struct Ears<W> {
    /// JSON lines.
    pub sink: Option<Sink>,
    /// Someone watching a screen.
    pub watch: Option<W>,
    /// Stops the run when nobody can hear any more.
    pub stop: StopFlag,
    /// Whose ears.
    pub name: Name,
    /// Where alerts go.
    pub out: Out,
    /// What models did, for a golem that has some.
    pub models: Option<ModelsAsked>,
}

impl<W: Watcher> Listener<Fact> for Ears<W> {
    fn wants(&self) -> bool {
        self.sink.is_some() || self.watch.is_some() || self.models.is_some()
    }
    fn fact(&mut self, fact: &Envelope<Fact>) {
        if let Some(watch) = &mut self.watch {
            watch.fact(fact);
        }
        if let Some(news) = self.models.as_mut().and_then(|models| models.see(fact)) {
            match &mut self.watch {
                Some(watch) => watch.news(&news),
                None => self.out.say(&format!("{}: {news}", self.name)),
            }
        }
        let Some(sink) = &self.sink else { return };
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        // A listener that is gone must not silently lose facts: the golem stops, cleanly, and can be resumed.
        if !sink.tell(fact) {
            self.stop.raise();
        }
    }
    fn notice(&mut self, notice: &Notice) {
        match (&mut self.watch, notice_words(notice)) {
            (Some(watch), _) => watch.notice(notice),
            // Alerts are told even when talk is not wanted, and say whose they are.
            (None, Some(words)) if !matches!(notice, Notice::Resumed { .. }) => {
                self.out.alert(&format!("{}: {words}", self.name))
            }
            _ => {}
        }
    }
}

/// How to run a golem.
pub struct RunPlan<'a> {
    /// Where chains and contracts are kept.
    pub home: &'a Home,
    /// The chains that are open in this process.
    pub chains: OpenChains,
    /// Where the passphrase of a wallet comes from, for golems on a node's chain.
    pub passphrase: Option<&'a crate::cli::PassphraseArgs>,
    /// How fast; without it as fast as suits its world.
    pub pace: Option<Pace>,
    /// Time outside.
    pub clock: Arc<dyn Clock>,
    /// The request to stop.
    pub stop: StopFlag,
    /// `--world`, for a golem that has not lived yet.
    pub world: Option<&'a str>,
    /// Go on although the file is older than the life it belongs to.
    pub accept_rollback: bool,
    /// Go on although its world cannot be found.
    pub blind: bool,
    /// Whether insurance snapshots are taken.
    pub snapshots: bool,
    /// Providers in place of those it was born with: they may have moved.
    pub models: Option<&'a InferenceConfig>,
    /// Nodes in place of those it was born with: they may have moved, and keys in their addresses change.
    pub nodes: Option<&'a RpcConfig>,
}

impl RunPlan<'_> {
    /// How fast a golem lives: as asked, or else in real time, and through recorded history as fast as it goes.
    pub fn pace_of(&self, file: &GolemFile) -> Pace {
        let recorded = file.world.kind == WorldKind::Csv && file.chain.kind != ChainWord::Rpc;
        self.pace.unwrap_or(if recorded { Pace::Max } else { Pace::Real })
    }
}

/// Open one golem for living.
pub fn open<W: Watcher + 'static>(place: &Place, plan: &RunPlan<'_>, ears: Ears<W>) -> Result<LifeRunner, Fail> {
    plan.home.is_at_home(place)?;
    let how = OpenOptions { accept_rollback: plan.accept_rollback, to_die: plan.blind };
    let store = Store::open(&place.dir, how, plan.clock.now())?;
    let genesis = birth::genesis(store.origin())?;
    let mut file = birth::settings_of(store.origin())?;
    if file.chain.kind == ChainWord::Rpc && !plan.blind {
        chain::find_nodes(&mut file.chain.rpc, plan.nodes)?;
    }
    let (origin, key) = (store.origin(), wallet_key(&file, plan)?);
    let sealed = crate::models::sealed(origin);
    let pace = plan.pace_of(&file);
    if file.chain.kind == ChainWord::Rpc && pace != Pace::Real && !plan.blind && !file.chain.rpc.is_local() {
        return Err(Fail::hint("other people's chain lives in real time", "leave --speed out"));
    }
    let (home, chains, out) = (plan.home, &plan.chains, &ears.out);
    let newcomer = Newcomer { file: &file, home, origin: Some(origin), store: Some(&store), chains, key, out };
    let stand = match chain::stand(newcomer) {
        // Whether the effect of an open turn has happened is known on its chain alone: nobody says that it has not.
        Err(why) if plan.blind && chain::may_still_tell(&file, home) && store.open_turn()?.is_some() => {
            store.close()?;
            return Err(Fail::world(format!(
                "{} dies once its open turn is settled: its order waits, and its chain cannot be asked now ({why})",
                place.name
            )));
        }
        Err(_) if plan.blind => {
            let world = Box::new(world::Nowhere(genesis.birth.born_at));
            chain::Stand { world, hands: Box::new(InProcess(Idle)), floor: None, who: chain::account(origin) }
        }
        Ok(stand) => stand,
        Err(refused) => {
            // Nothing was begun, so this start is not one that crashed.
            store.close()?;
            return Err(refused);
        }
    };
    let options = Options { pace, snapshots: plan.snapshots, ..Options::default() };
    let models = match plan.blind {
        // Whoever is ended tells its life where somebody can be asked; nothing keeps it from its end.
        true => {
            crate::models::door(&file.inference, &file.asked_alone(), &sealed).unwrap_or_else(|_| Box::new(NoModels))
        }
        false => crate::models::door(plan.models.unwrap_or(&file.inference), &file.asked_alone(), &sealed)?,
    };
    let (listener, models): (Box<dyn Listener<Fact>>, _) = match traces::spans(place, &ears.out) {
        None => (Box::new(ears), models),
        Some(spans) => {
            let models = Box::new(TracedModels::around(models, spans.clone()));
            (Box::new(TracedEars { ears, spans }), models)
        }
    };
    let around =
        Around { options, clock: plan.clock.clone(), stop: plan.stop.clone(), listener: Some(listener), models };
    Ok(LifeRunner::open(store, &genesis, stand.world, stand.hands, around)?)
}

/// The key that a golem on a node's chain signs with.
fn wallet_key(file: &GolemFile, plan: &RunPlan<'_>) -> Result<Option<golem_wallet::Key>, Fail> {
    let (ChainWord::Rpc, Some(passphrase)) = (file.chain.kind, plan.passphrase) else { return Ok(None) };
    crate::wallets::open(&file.chain.wallet, passphrase, plan.home).map(Some)
}

/// The world is chosen before the first turn and kept for life.
pub fn choose_world(place: &Place, plan: &RunPlan<'_>) -> Result<(), Fail> {
    let Some(word) = plan.world else { return Ok(()) };
    let reader = golem_runtime::Reader::open(&place.dir)?;
    let (mut world, (tick, _)) = (birth::settings_of(&reader.origin()?)?.world, reader.tip()?);
    drop(reader);
    let before = world.clone();
    world::choose(&mut world, word)?;
    if world == before {
        return Ok(());
    }
    if tick.0 > 0 {
        return Err(Fail::hint(
            format!("{} has already lived {tick} turns in another world", place.name),
            "leave --world out, or create another golem",
        ));
    }
    birth::rebirth(place, word)
}

/// Run one golem to the end of what was asked.
pub fn run_one(mut runner: LifeRunner, turns: Option<u64>) -> Result<WhyBack, Fail> {
    // With a number of turns asked for, a paused golem would keep its caller waiting for ever.
    let why = runner.run(Until { turns, return_when_paused: turns.is_some() });
    match why {
        Ok(why) => {
            runner.close()?;
            Ok(why)
        }
        Err(e) => Err(e.into()),
    }
}
