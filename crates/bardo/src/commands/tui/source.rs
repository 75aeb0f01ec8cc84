//! The door of the terminal, opened onto this home: files are read in short transactions, and orders go through the inbox.

use super::fleet::{self, FleetWatch};
use super::heirs;
use super::lore;
use crate::cli::LibraryPull;
use crate::commands::{dream, library, lineage};
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use crate::stored::parse;
use crate::{birth, retell};
use golem_core::fact::{Envelope, Seq};
use golem_core::{GolemId, Tick, Timestamp};
use golem_grimoire::Entry;
use golem_grimoire::causal::Edge;
use golem_grimoire::change::NamedTable;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::SignedTestament;
use golem_home::graves::{self, Grave};
use golem_home::{causes, dreams, orders, rules, search, vitals};
use golem_life::{Ask, Fact, LifePoint};
use golem_mind::Prediction;
use golem_mortality::forecast::LifeForecast;
use golem_runtime::memory::Detail;
use golem_runtime::{Reader, wait_reply};
use golem_tui::{
    BirthTold, DreamTold, FleetLook, GraveStone, LifeNow, LifeSource, LineNode, LoreEntry, ScreenOrder, SourceFailure,
    SuccessorOffer, SuccessorWish,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long an order may keep a screen waiting for its answer.
const PATIENCE: Duration = Duration::from_millis(600);
/// Points and forecasts that are read at once, dreams that are shown.
const POINTS: u32 = 1_000;
const FORECASTS: u32 = 200;
const DREAMS: u32 = 500;
/// Entries that a search shows.
const FOUND: usize = 40;
/// A line is read whole, which takes a while: it is asked for this seldom.
const LINE_FOR: Duration = Duration::from_secs(30);

/// What does not change in a life.
struct OpenLife {
    reader: Reader,
    name: String,
    born_at: Timestamp,
    generation: u32,
    market: String,
}

/// A home.
pub struct HomeSource {
    home: Home,
    out: Out,
    open: Option<(GolemId, OpenLife)>,
    /// The dead stay as they are: each is read once.
    graves: BTreeMap<GolemId, Grave>,
    fleet: FleetWatch,
    line: Option<(GolemId, usize, Instant, Vec<LineNode>)>,
}

impl HomeSource {
    pub fn new(home: Home, out: Out) -> Self {
        Self { home, out, open: None, graves: BTreeMap::new(), fleet: FleetWatch::default(), line: None }
    }

    fn life(&mut self, golem: GolemId) -> Result<&OpenLife, Fail> {
        if self.open.as_ref().is_none_or(|(id, _)| *id != golem) {
            let reader = Reader::open(&self.home.golem_dir(golem))?;
            let origin = reader.origin()?;
            let market = birth::settings_of(&origin).map_or(String::new(), |file| graves::market(&file));
            let birth = origin.birth;
            let life = OpenLife {
                reader,
                name: birth.name.to_string(),
                born_at: birth.born_at,
                generation: birth.generation,
                market,
            };
            self.open = Some((golem, life));
        }
        self.open.as_ref().map(|(_, life)| life).ok_or_else(|| Fail::world("nobody is looked at"))
    }
    /// A look into the file of a golem; one that fails is opened anew the next time.
    fn look<T>(&mut self, golem: GolemId, see: impl FnOnce(&OpenLife) -> Result<T, Fail>) -> Result<T, SourceFailure> {
        let seen = self.life(golem).and_then(see);
        if seen.is_err() {
            self.open = None;
        }
        seen.map_err(failure)
    }
    fn place(&self, golem: GolemId) -> Result<Place, SourceFailure> {
        self.home.golem(&golem.to_string()).map_err(failure)
    }
    fn is_running(&self, golem: GolemId) -> bool {
        fleet::is_running(&self.home.golem_dir(golem))
    }
    fn bury(&mut self) -> Result<(), Fail> {
        for place in self.home.golems()? {
            if !self.graves.contains_key(&place.id)
                && let Some(grave) = lore::grave(&place)
            {
                self.graves.insert(place.id, grave);
            }
        }
        Ok(())
    }
    fn order(&mut self, golem: GolemId, ask: &Ask) -> Result<BirthTold, Fail> {
        let place = self.home.golem(&golem.to_string())?;
        self.home.is_at_home(&place)?;
        orders::alive(&place)?;
        let number = orders::put(&place, ask)?;
        let running = self.is_running(golem);
        let reply = if running { wait_reply(&place.dir, number, PATIENCE)? } else { None };
        let words = match (reply, running) {
            (Some(reply), _) => reply.text,
            (None, true) => format!("order {number} waits in its inbox: it will be taken at the next turn"),
            (None, false) => format!("order {number} waits: {} is not running, and takes it when it runs", place.name),
        };
        Ok(BirthTold { words, born: None })
    }
    fn done(&mut self, command: &ScreenOrder) -> Result<BirthTold, Fail> {
        let reason = || "by the terminal".to_owned();
        match command {
            ScreenOrder::Pause(golem) => self.order(*golem, &Ask::Pause),
            ScreenOrder::Resume(golem) => self.order(*golem, &Ask::Resume),
            ScreenOrder::Halt(golem) => self.order(*golem, &Ask::Halt { reason: reason() }),
            ScreenOrder::Feed(golem, amount) => {
                orders::check_feed(*amount)?;
                self.order(*golem, &Ask::Feed { amount: *amount })
            }
            ScreenOrder::Kill(golem) => self.order(*golem, &Ask::Kill { reason: reason() }),
            ScreenOrder::Dream(golem) => self.order(*golem, &Ask::Dream),
            ScreenOrder::Judge { golem, proposal, approved } => {
                self.order(*golem, &Ask::Judge { proposal: *proposal, approved: *approved })
            }
            ScreenOrder::Pull { golem, entries } => {
                let place = self.home.golem(&golem.to_string())?;
                let entries = entries.clone();
                let args = LibraryPull { golem: golem.to_string(), entries, all: false, anyway: false };
                let (_, pulled) = library::take(&args, &place, &self.home)?;
                let words = format!("{} into your library, {} refused", pulled.taken.len(), pulled.left.len());
                Ok(BirthTold { words, born: None })
            }
            ScreenOrder::Summon(wish) => self.born(|home, out| heirs::summon(wish, home, out)),
            ScreenOrder::Create(wish) => self.born(|home, out| heirs::fresh(wish, home, out)),
        }
    }
    fn born(&mut self, give: impl FnOnce(&Home, &Out) -> Result<(GolemId, String), Fail>) -> Result<BirthTold, Fail> {
        let (born, words) = give(&self.home, &self.out)?;
        self.line = None;
        Ok(BirthTold { words, born: Some(born) })
    }
}

fn sure(entry: &Entry) -> f64 {
    f64::from(entry.standing.confidence_bp) / 1e4
}

fn failure(why: Fail) -> SourceFailure {
    SourceFailure { what: why.to_string(), hint: why.hint_text().map(ToOwned::to_owned) }
}

impl LifeSource for HomeSource {
    fn fleet(&mut self) -> Result<FleetLook, SourceFailure> {
        self.fleet.look(&self.home).map_err(failure)
    }
    fn now(&mut self, golem: GolemId) -> Result<LifeNow, SourceFailure> {
        let running = self.is_running(golem);
        self.look(golem, |life| {
            let status = life.reader.status()?.map(|row| parse(&row.body)).transpose()?;
            let (name, born_at, generation) = (life.name.clone(), life.born_at, life.generation);
            Ok(LifeNow { name, born_at, generation, status, running })
        })
    }
    fn facts(
        &mut self,
        golem: GolemId,
        after: Option<Seq>,
        most: u32,
    ) -> Result<(Vec<Envelope<Fact>>, Option<Seq>), SourceFailure> {
        self.look(golem, |life| {
            let rows = life.reader.facts(after, None, most)?;
            let last = rows.last().map(|row| row.seq);
            Ok((rows.iter().filter_map(|row| retell::fact(row, golem)).collect(), last))
        })
    }
    fn series(&mut self, golem: GolemId, after: Tick) -> Result<Vec<(Timestamp, LifePoint)>, SourceFailure> {
        self.look(golem, |life| {
            let (mut all, mut after) = (Vec::new(), after);
            loop {
                let page = life.reader.series(after, POINTS)?;
                let Some(last) = page.last() else { return Ok(all) };
                after = last.tick;
                // A point of another form than this program knows is a dot less on a chart.
                all.extend(page.iter().filter_map(|row| Some((row.at, serde_json::from_str(&row.body).ok()?))));
            }
        })
    }
    fn outlook(&mut self, golem: GolemId) -> Result<Option<LifeForecast>, SourceFailure> {
        let lives = self.look(golem, |life| {
            let now = life.reader.status()?.map(|row| parse(&row.body)).transpose()?;
            Ok(now.is_some_and(|now| now.death.is_none()))
        })?;
        let place = self.place(golem)?;
        lives.then(|| vitals::ahead(&place).map(|(_, ahead)| ahead).map_err(failure)).transpose()
    }
    fn forecasts(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<Prediction>, SourceFailure> {
        self.look(golem, |life| {
            let rows = life.reader.memory().named(NamedTable::Prediction, as_of, FORECASTS)?;
            Ok(rows.iter().filter_map(|row| serde_json::from_str(&row.body).ok()).collect())
        })
    }
    fn playbook(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<String, SourceFailure> {
        let kept = rules::playbook(&self.place(golem)?, as_of).map_err(failure)?;
        Ok(kept.text().to_owned())
    }
    fn causes(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<Edge>, SourceFailure> {
        self.look(golem, |life| causes::edges(&life.reader, as_of))
    }
    fn search(&mut self, golem: GolemId, words: &str, as_of: Option<Tick>) -> Result<Vec<LoreEntry>, SourceFailure> {
        self.bury().map_err(failure)?;
        let found = search::believed(&self.place(golem)?, words, as_of, FOUND).map_err(failure)?;
        Ok(found.iter().map(|(sure, entry)| lore::believed(entry, *sure, &self.graves)).collect())
    }
    fn dreams(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<DreamTold>, SourceFailure> {
        let all = dreams::latest(&self.place(golem)?, as_of, DREAMS).map_err(failure)?;
        Ok(all.into_iter().map(|d| DreamTold { page: dream::whole(&d.entry), entry: d.entry }).collect())
    }
    fn staging(&mut self, golem: GolemId, as_of: Option<Tick>) -> Result<Vec<Proposal>, SourceFailure> {
        dreams::staging(&self.place(golem)?, as_of).map_err(failure)
    }
    fn testament(&mut self, golem: GolemId) -> Result<Option<SignedTestament>, SourceFailure> {
        let dir = self.home.golem_dir(golem);
        // What is sealed to its owner is opened with the owner's key, and on no screen.
        let sealed = golem_home::testament::sealed_to(&dir).map_err(failure)?;
        if sealed.is_empty() { crate::testament::read(&dir).map_err(failure) } else { Ok(None) }
    }
    fn graves(&mut self, seen_by: Option<GolemId>) -> Result<Vec<GraveStone>, SourceFailure> {
        self.bury().map_err(failure)?;
        let market = seen_by.and_then(|golem| self.life(golem).ok().map(|life| life.market.clone()));
        let beside = |grave: &Grave| market.as_ref().is_some_and(|market| grave.lies_on(market));
        let mut all: Vec<GraveStone> = self.graves.values().map(|grave| lore::stone(grave, beside(grave))).collect();
        all.sort_by(|a, b| (b.died_at, &a.name).cmp(&(a.died_at, &b.name)));
        Ok(all)
    }
    fn lineage(&mut self, golem: GolemId) -> Result<Vec<LineNode>, SourceFailure> {
        let known = self.home.golems().map_err(failure)?.len();
        let fresh = |(of, count, at, _): &&(GolemId, usize, Instant, Vec<LineNode>)| {
            *of == golem && *count == known && at.elapsed() < LINE_FOR
        };
        if let Some((.., line)) = self.line.as_ref().filter(fresh) {
            return Ok(line.clone());
        }
        let line = lineage::nodes(golem, &self.home).map_err(failure)?;
        self.line = Some((golem, known, Instant::now(), line.clone()));
        Ok(line)
    }
    fn library(&mut self) -> Result<Vec<LoreEntry>, SourceFailure> {
        self.bury().map_err(failure)?;
        let Some(library) = crate::library::find(&self.home).map_err(failure)? else { return Ok(Vec::new()) };
        let now = crate::clock::clock().now();
        let mut all: Vec<_> = library.holdings().collect();
        all.sort_by(|a, b| b.1.rank(now).total_cmp(&a.1.rank(now)).then(a.0.cmp(&b.0)));
        Ok(all.into_iter().map(|(id, held)| lore::held(id, held, now, &self.graves)).collect())
    }
    fn remains(&mut self, golem: GolemId) -> Result<Vec<LoreEntry>, SourceFailure> {
        self.bury().map_err(failure)?;
        let guest = self
            .home
            .golem(&golem.to_string())
            .and_then(|place| {
                // What a death leaves by itself comes in first; the owner chooses from the rest.
                crate::library::bury_dead(std::slice::from_ref(&place), &self.home, &self.out)?;
                crate::library::visit(&place, &self.home)
            })
            .map_err(failure)?;
        let library = crate::library::find(&self.home).map_err(failure)?;
        let known: Vec<&str> =
            library.iter().flat_map(|l| l.holdings().map(|(_, held)| held.body().text.as_str())).collect();
        let mut rest: Vec<_> = guest.entries.iter().filter(|e| !known.contains(&e.body.text.as_str())).collect();
        rest.sort_by_key(|e| std::cmp::Reverse(e.standing.confidence_bp));
        Ok(rest.into_iter().map(|e| lore::believed(e, sure(e), &self.graves)).collect())
    }
    fn snapshot(&mut self, golem: GolemId) -> Result<Vec<LoreEntry>, SourceFailure> {
        self.bury().map_err(failure)?;
        let mut all: Vec<Entry> = self.look(golem, |life| {
            let kept = life.reader.memory().remembered(None, Detail::Learnt)?;
            Ok(kept.entries.into_iter().map(|(entry, _)| entry).collect())
        })?;
        all.sort_by_key(|e| std::cmp::Reverse(e.standing.confidence_bp));
        Ok(all.iter().map(|e| lore::believed(e, sure(e), &self.graves)).collect())
    }
    fn halted_heir(&mut self, dead: GolemId) -> Result<Option<String>, SourceFailure> {
        let estate = golem_home::estate::find(&self.home).map_err(failure)?;
        let halted = estate.case(dead).and_then(|case| case.halted.as_ref()).filter(|why| !why.is_final());
        Ok(halted.map(|why| format!("{why}; {}", why.lifted_by())))
    }
    fn offer(&mut self, wish: &SuccessorWish) -> Result<SuccessorOffer, SourceFailure> {
        heirs::offer(wish, &self.home).map_err(failure)
    }
    fn command(&mut self, command: &ScreenOrder) -> Result<BirthTold, SourceFailure> {
        self.done(command).map_err(failure)
    }
}
