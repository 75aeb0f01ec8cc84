//! The chain under a golem: builds what its settings name, and lets the golems of one process share a chain.

mod embedded;
mod node;

pub use embedded::{OpenChains, contracts, fall_back, joined, missing, path, stand_anew};
pub use golem_home::chains::{fits, kept_at};
pub use node::{find_nodes, record_problem, wallet_is_free};

use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::out::Out;
use crate::world::{self, AnyWorld};
use golem_core::dice::Dice;
use golem_core::door::{InProcess, World};
use golem_core::{Elapsed, Homeward, NOMINAL_TICK_S, Strand, VirtualTime};
use golem_runtime::{Origin, Reader, Store};
use golem_venue::floor::{ChapterShelf, Floor, FloorHands, FloorPlan, FloorWorld, SharedFloor, WorldOutside};
use golem_venue::scenario::Scenario;
use golem_venue::{Account, VenueError};
use golem_wallet::{Key, derive_golem_key};
use std::path::PathBuf;

pub use golem_runtime::AnyHands;

/// What a golem looks at and acts on.
pub struct Stand {
    /// What it sees.
    pub world: AnyWorld,
    /// What it acts with.
    pub hands: AnyHands,
    /// The floor, on a chain of our own.
    pub floor: Option<SharedFloor>,
    /// Its account.
    pub who: Account,
}

/// Whom to put onto a chain, and with what.
pub struct Newcomer<'a> {
    /// Its settings.
    pub file: &'a GolemFile,
    /// Where chains and contracts are kept.
    pub home: &'a Home,
    /// Who it is; nobody in particular stands on a chain that leaves no file.
    pub origin: Option<&'a Origin>,
    /// Its file, open; nobody in particular has none.
    pub store: Option<&'a Store>,
    /// The chains that are open in this process.
    pub chains: &'a OpenChains,
    /// The key of its wallet, on a node's chain.
    pub key: Option<Key>,
    /// Where to speak.
    pub out: &'a Out,
}

/// Put a golem onto its chain.
pub fn stand(newcomer: Newcomer<'_>) -> Result<Stand, Fail> {
    match newcomer.file.chain.kind {
        ChainWord::Paper => paper(&newcomer),
        ChainWord::Embedded => embedded::stand(&newcomer),
        ChainWord::Rpc => node::stand(newcomer),
    }
}

/// Whether a chain that could not be stood on can still be asked later: another process holds it, or a node keeps it.
pub fn may_still_tell(file: &GolemFile, home: &Home) -> bool {
    match file.chain.kind {
        ChainWord::Paper => false,
        ChainWord::Embedded => embedded::is_held(home, &file.chain.name),
        ChainWord::Rpc => true,
    }
}

fn paper(newcomer: &Newcomer<'_>) -> Result<Stand, Fail> {
    let (file, who) = (newcomer.file, newcomer.origin.map_or(NOBODY, account));
    let outside = world::build(&file.world)?;
    let (interval, joined) = (outside.natural_interval_s(), file.chain.joined_at);
    // An heir is born where its predecessor ended: so much less of a recorded market is left to it.
    let ends = outside.ends_at().map(|end| VirtualTime(end.0.saturating_sub(Elapsed::nominal(joined).0)));
    let plan = plan(file, &outside)?;
    let floor = Floor::paper(plan, file.chain.usdc_is_token0, Box::new(WorldOutside(outside)));
    let mut floor = floor.map_err(|e| trouble(&e))?;
    if let Some(origin) = newcomer.origin {
        floor.read_from(Box::new(FileShelf(newcomer.home.golem_dir(origin.birth.id))));
    }
    let floor = SharedFloor::new(floor);
    let world = Box::new(FloorWorld::new(floor.clone(), who, joined).like(interval, ends));
    let hands = Box::new(InProcess(hands(&floor, who, newcomer.origin)));
    Ok(Stand { world, hands, floor: Some(floor), who })
}

/// Hands on a chain of our own, with the way home of whoever has them.
fn hands(floor: &SharedFloor, who: Account, origin: Option<&Origin>) -> FloorHands {
    let hands = FloorHands::new(floor.clone(), who);
    match origin {
        Some(origin) => hands.homeward(Homeward::on_our_chain(&origin.birth)),
        None => hands,
    }
}

/// The past of a paper floor, in the file of the golem on it. Opened for each look: looks are rare, golems are many.
struct FileShelf(PathBuf);

impl ChapterShelf for FileShelf {
    fn last_until(&mut self, place: u64) -> Result<Option<Vec<u8>>, String> {
        let found = Reader::open(&self.0).and_then(|reader| reader.past(place));
        found.map(|row| row.map(|row| row.body)).map_err(|e| e.to_string())
    }
}

/// Nobody in particular.
const NOBODY: Account = Account([7; 20]);

/// What the floor is made of.
fn plan(file: &GolemFile, outside: &AnyWorld) -> Result<FloorPlan, Fail> {
    Ok(FloorPlan {
        market: file.market.clone(),
        dice: Dice::open(file.world.seed, Strand::Market),
        epoch: outside.epoch(),
        step_ticks: outside.natural_interval_s().unwrap_or(NOMINAL_TICK_S) / NOMINAL_TICK_S,
        scenario: scenario(&file.chain.scenario)?,
    })
}

/// The weather that a word names: a known one, or a file.
pub fn scenario(word: &str) -> Result<Option<Scenario>, Fail> {
    if word.is_empty() {
        return Ok(None);
    }
    let read = if Scenario::known().iter().any(|(name, _)| *name == word) {
        Scenario::named(word)
    } else {
        let text = std::fs::read_to_string(word).map_err(|e| {
            let known: Vec<&str> = Scenario::known().iter().map(|(name, _)| *name).collect();
            Fail::hint(format!("cannot read the scenario {word}: {e}"), format!("known ones: {}", known.join(", ")))
        })?;
        Scenario::parse(&text)
    };
    read.map(Some).map_err(|problems| {
        let told: Vec<String> = problems.iter().map(|p| format!("  {p}")).collect();
        Fail::owner(format!("the scenario {word} does not fit:\n{}", told.join("\n")))
    })
}

/// Check the scenario that settings name, and make a file's path hold from everywhere.
pub fn settle_scenario(file: &mut GolemFile) -> Result<(), Fail> {
    if scenario(&file.chain.scenario)?.is_none()
        || Scenario::known().iter().any(|(name, _)| *name == file.chain.scenario)
    {
        return Ok(());
    }
    let path = std::fs::canonicalize(&file.chain.scenario)
        .map_err(|e| Fail::owner(format!("chain.scenario: {}: {e}", file.chain.scenario)))?;
    file.chain.scenario = path.display().to_string();
    Ok(())
}

/// A golem's account on a chain of our own: the same wherever it is run, and its own key could sign for it.
pub fn account(origin: &Origin) -> Account {
    Account(derive_golem_key(&origin.signing_key).address().into())
}

/// A venue that cannot go on, as a failure.
pub fn trouble(e: &VenueError) -> Fail {
    match e {
        VenueError::Bug(what) => Fail::Bug(what.clone()),
        VenueError::Changed(_) | VenueError::Unfit(_) => Fail::refused(e.to_string()),
        other => Fail::world(other.to_string()),
    }
}
