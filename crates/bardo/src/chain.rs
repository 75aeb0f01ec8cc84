//! The chain under a golem: builds what its settings name, and lets golems of one process share a chain.

use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile};
use crate::home::Home;
use crate::world::{self, AnyWorld};
use golem_cage::Permit;
use golem_core::dice::Dice;
use golem_core::{Hash, NOMINAL_TICK_S, Strand};
use golem_runtime::{InProcess, KeyedHands, Origin};
use golem_venue::floor::{Floor, FloorHands, FloorWorld, Plan, SharedFloor, WorldOutside};
use golem_venue::scenario::Scenario;
use golem_venue::{Account, VenueError};

/// Hands of any kind.
pub type AnyHands = Box<dyn KeyedHands<Permit>>;

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

/// Put a golem onto its chain; without an origin it is nobody in particular, on a chain that leaves no file.
pub fn stand(file: &GolemFile, _home: &Home, origin: Option<&Origin>) -> Result<Stand, Fail> {
    let who = origin.map_or(Account([7; 20]), |origin| account(&origin.birth.public_key));
    match file.chain.kind {
        ChainWord::Paper => {
            let outside = world::build(&file.world)?;
            let (interval, ends) = (outside.natural_interval_s(), outside.ends_at());
            let plan = plan(file, &outside)?;
            let floor = Floor::paper(plan, file.chain.usdc_is_token0, Box::new(WorldOutside(outside)));
            let floor = SharedFloor::new(floor.map_err(|e| trouble(&e))?);
            let world = Box::new(FloorWorld::new(floor.clone(), who, 0).like(interval, ends));
            let hands = Box::new(InProcess(FloorHands::new(floor.clone(), who)));
            Ok(Stand { world, hands, floor: Some(floor), who })
        }
        ChainWord::Embedded | ChainWord::Rpc => Err(Fail::world("not yet")),
    }
}

/// What the floor is made of.
pub fn plan(file: &GolemFile, outside: &AnyWorld) -> Result<Plan, Fail> {
    Ok(Plan {
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

/// A golem's account on a chain where nobody signs: made from its public key, so that it is the same wherever it is run.
pub fn account(public_key: &Hash) -> Account {
    let mut bytes = [0; 20];
    bytes.copy_from_slice(&blake3::derive_key("bardo 2026 paper account", &public_key.0)[..20]);
    Account(bytes)
}

/// A venue that cannot go on, as a failure.
pub fn trouble(e: &VenueError) -> Fail {
    match e {
        VenueError::Bug(what) => Fail::Bug(what.clone()),
        other => Fail::world(other.to_string()),
    }
}
