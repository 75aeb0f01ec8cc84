//! A life in memory: the real life on a paper chain around a world, without a file. For experiments by the thousand.

use crate::world::{Blow, WorldPlace};
use golem_cage::Permit;
use golem_clade::kin::KinLetter;
use golem_core::birth::Identity;
use golem_core::door::{Hands, Idle, Models, NoModels, World};
use golem_core::fact::Envelope;
use golem_core::{Hash, Homeward, NOMINAL_TICK_S, Name, Secret, Strand, Usdc, VirtualTime};
use golem_grimoire::Remembered;
use golem_grimoire::change::{Change, NamedTable};
use golem_life::drive::InMemory;
use golem_life::{Ask, Being, CarriedOver, Fact, Genesis, Life, LifeStanding, Order, Settings, Status, TickInput};
use golem_venue::floor::{Floor, FloorHands, FloorPlan, FloorWorld, SharedFloor, WorldOutside};
use golem_venue::market::MarketConfig;
use golem_venue::scenario::Scenario;
use golem_venue::{Account, VenueError};
use std::collections::BTreeMap;

/// Rows of a life that its heirs read.
const FOR_HEIRS: [NamedTable; 4] =
    [NamedTable::Proposal, NamedTable::Dream, NamedTable::Testament, NamedTable::Passport];

/// One life under observation.
pub struct Subject {
    life: Life,
    world: Box<dyn World>,
    hands: Box<dyn Hands<Permit>>,
    models: Box<dyn Models>,
    floor: Option<SharedFloor>,
    /// Facts of the last turn.
    pub facts: Vec<Envelope<Fact>>,
    /// What it told its siblings in the last turn.
    told: Vec<KinLetter>,
    orders: Vec<Order>,
    /// Which rows of its memory are kept, and the newest of each.
    keeps: &'static [NamedTable],
    written: BTreeMap<(NamedTable, String), String>,
}

impl Subject {
    /// A newborn with an open seed, on a paper chain whose market looks out on a world.
    ///
    /// # Errors
    /// When no market can begin in that world.
    pub fn new(seed: u64, funding: Usdc, settings: &Settings, world: impl World + 'static) -> Result<Self, VenueError> {
        let (secret, genesis) = newborn(seed, funding, settings, &world);
        let (floor, who, interval_s, ends_at) =
            (paper(seed, world)?, account(&genesis), Some(genesis.interval_s), None);
        let seen = FloorWorld::new(floor.clone(), who, 0).like(interval_s, ends_at);
        let hands = Box::new(hands_of(&genesis, floor.clone()));
        let life = Life::born(&genesis, &secret);
        Ok(Self { floor: Some(floor), ..Self::of(life, Box::new(seen), hands) })
    }

    /// The same with something in its memory from the first turn on.
    ///
    /// # Errors
    /// When no market can begin in that world.
    pub fn remembering(
        seed: u64,
        funding: Usdc,
        settings: &Settings,
        world: impl World + 'static,
        memory: Remembered,
    ) -> Result<Self, VenueError> {
        let (secret, genesis) = newborn(seed, funding, settings, &world);
        let born = Self::new(seed, funding, settings, world)?;
        let life = Life::restore(&genesis, &secret, &born.life.save().join(), memory).map_err(VenueError::Bug)?;
        Ok(Self { life, ..born })
    }

    /// A newborn with an open seed in a place by name.
    ///
    /// # Errors
    /// When no market can begin there.
    pub fn placed(seed: u64, funding: Usdc, settings: &Settings, place: WorldPlace) -> Result<Self, VenueError> {
        let (secret, genesis) = newborn(seed, funding, settings, &place.world);
        let weather = place.blow.as_ref().map(Blow::scenario);
        let (floor, who) = (floor_of(seed, place.world, place.market, weather)?, account(&genesis));
        let seen = FloorWorld::new(floor.clone(), who, 0).like(Some(genesis.interval_s), None);
        Ok(Self::on(&genesis, &secret, Box::new(seen), Box::new(hands_of(&genesis, floor))))
    }

    /// A newborn that sees a world as it is, and has no chain to act on.
    pub fn bare(seed: u64, funding: Usdc, settings: &Settings, world: impl World + 'static) -> Self {
        let (secret, genesis) = newborn(seed, funding, settings, &world);
        Self::of(Life::born(&genesis, &secret), Box::new(world), Box::new(Idle))
    }

    /// A newborn wherever it is put.
    pub fn on(genesis: &Genesis, secret: &Secret, world: Box<dyn World>, hands: Box<dyn Hands<Permit>>) -> Self {
        Self::of(Life::born(genesis, secret), world, hands)
    }

    /// The same life in other circumstances: as somebody who is born like this, with what is carried over, and with the same
    /// view and hands.
    #[must_use]
    pub fn carried_into(self, genesis: &Genesis, secret: &Secret, what: CarriedOver) -> Self {
        Self { life: self.life.carried_into(genesis, secret, what), ..self }
    }

    /// Let it die of what its clocks have on record; false when there is nothing, or it dies already.
    pub fn dies_as_recorded(&mut self) -> bool {
        self.life.dies_as_recorded()
    }

    /// The same life with another view and other hands.
    #[must_use]
    pub fn moved(self, world: Box<dyn World>, hands: Box<dyn Hands<Permit>>) -> Self {
        Self { world, hands, ..self }
    }

    fn of(life: Life, world: Box<dyn World>, hands: Box<dyn Hands<Permit>>) -> Self {
        let models = Box::new(NoModels);
        let (facts, told, orders, written) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        Self { life, world, hands, models, floor: None, facts, told, orders, keeps: &[], written }
    }

    /// Let it ask these models.
    #[must_use]
    pub fn with_models(self, models: impl Models + 'static) -> Self {
        Self { models: Box::new(models), ..self }
    }

    /// The floor it trades on.
    pub fn floor(&self) -> Option<&SharedFloor> {
        self.floor.as_ref()
    }

    /// Ask something of it in the next turn.
    pub fn ask(&mut self, ask: Ask) {
        let id = self.orders.len() as u64 + 1;
        self.orders.push(Order { id, ask });
    }

    /// One turn; false when there is none (dead, or the world has ended).
    pub fn turn(&mut self) -> bool {
        if Being::standing(&self.life) == LifeStanding::Dead {
            return false;
        }
        let age = self.life.next_age();
        let Some(raw) = self.world.observe(age) else { return false };
        let input = TickInput {
            at: self.world.epoch().after(age.age()),
            seen: raw.admit(),
            orders: std::mem::take(&mut self.orders),
            ..TickInput::default()
        };
        let Self { life, hands, models, .. } = self;
        let (_, end) = InMemory { being: life, hands: hands.as_mut(), models: models.as_mut() }.turn(input);
        self.told = end.kin;
        std::mem::swap(&mut self.facts, self.life.facts());
        for change in self.life.changes() {
            if let Change::Row { table, key, body, .. } = change
                && self.keeps.contains(&table)
            {
                self.written.insert((table, key), body);
            }
        }
        true
    }

    /// Keep what its heirs read.
    #[must_use]
    pub fn writing(self) -> Self {
        self.keeping(&FOR_HEIRS)
    }
    /// Keep the newest rows of some tables.
    #[must_use]
    pub fn keeping(self, keeps: &'static [NamedTable]) -> Self {
        Self { keeps, ..self }
    }
    /// The rows that are kept: table, key and body.
    pub fn written(&self) -> impl Iterator<Item = (NamedTable, &str, &str)> {
        self.written.iter().map(|((table, key), body)| (*table, key.as_str(), body.as_str()))
    }
    /// A row as if it had written it.
    #[cfg(test)]
    pub(crate) fn note(&mut self, table: NamedTable, key: &str, body: String) {
        self.written.insert((table, key.to_owned()), body);
    }
    /// The same, to be kept elsewhere.
    pub fn take_written(&mut self) -> BTreeMap<(NamedTable, String), String> {
        std::mem::take(&mut self.written)
    }

    /// What it told its siblings in the last turn.
    pub fn take_told(&mut self) -> Vec<KinLetter> {
        std::mem::take(&mut self.told)
    }

    /// So many turns, or fewer.
    pub fn turns(&mut self, n: u64) {
        for _ in 0..n {
            if !self.turn() {
                break;
            }
        }
    }

    /// How it is.
    pub fn status(&self) -> Status {
        self.life.status()
    }
    /// The life itself.
    pub fn life(&self) -> &Life {
        &self.life
    }
    /// Age at its next turn.
    pub fn next_age(&self) -> VirtualTime {
        self.life.next_age()
    }
    /// Age in days.
    pub fn age_days(&self) -> f64 {
        self.life.age().age().as_days()
    }
    /// True once it has died.
    pub fn is_dead(&self) -> bool {
        Being::standing(&self.life) == LifeStanding::Dead
    }
}

/// A paper floor around a world, with a block for every turn that suits it.
///
/// # Errors
/// When no market can begin in that world.
pub fn paper(seed: u64, world: impl World + 'static) -> Result<SharedFloor, VenueError> {
    paper_in(seed, world, None)
}

/// The same in some weather.
///
/// # Errors
/// When no market can begin in that world.
pub fn paper_in(seed: u64, world: impl World + 'static, scenario: Option<Scenario>) -> Result<SharedFloor, VenueError> {
    floor_of(seed, world, MarketConfig::default(), scenario)
}

/// The same with a market and a weather of its own.
///
/// # Errors
/// When no market can begin in that world.
pub fn floor_of(
    seed: u64,
    world: impl World + 'static,
    market: MarketConfig,
    scenario: Option<Scenario>,
) -> Result<SharedFloor, VenueError> {
    let plan = FloorPlan {
        market,
        dice: Secret::from_seed(seed).dice(Strand::Market),
        epoch: world.epoch(),
        step_ticks: world.natural_interval_s().unwrap_or(NOMINAL_TICK_S) / NOMINAL_TICK_S,
        scenario,
    };
    Ok(SharedFloor::new(Floor::paper(plan, false, Box::new(WorldOutside(world)))?))
}

/// A golem's account on paper: nobody signs there, so that its id will do.
#[must_use]
pub fn account(genesis: &Genesis) -> Account {
    let mut bytes = [0; 20];
    bytes[4..].copy_from_slice(&genesis.birth.id.0);
    Account(bytes)
}

/// The hands of a golem on a floor, with its way home.
pub fn hands_of(genesis: &Genesis, floor: SharedFloor) -> FloorHands {
    FloorHands::new(floor, account(genesis)).homeward(Homeward::on_our_chain(&genesis.birth))
}

/// What a life with an open seed is born from: no keys, since it signs nothing.
pub fn newborn(seed: u64, funding: Usdc, settings: &Settings, world: &impl World) -> (Secret, Genesis) {
    let secret = Secret::from_seed(seed);
    let name: Name = format!("subject-{seed}").parse().unwrap_or_else(|_| unreachable!("a valid name by construction"));
    let identity = Identity { name: &name, public_key: Hash::default(), commitment: secret.commitment() };
    let birth = identity.first_ancestor(true, world.epoch(), funding, settings.hash());
    let set = settings.heartbeat.tick_interval_s;
    let interval_s = if set > 0 { set } else { world.natural_interval_s().unwrap_or(NOMINAL_TICK_S) };
    (secret, Genesis { birth, settings: settings.clone(), interval_s, inheritance: None })
}
