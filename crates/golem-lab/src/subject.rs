//! A life in memory: the real life, a real world and paper hands, without a file. For experiments by the thousand.

use golem_core::birth::Identity;
use golem_core::fact::Envelope;
use golem_core::{Hash, NOMINAL_TICK_S, Name, Secret, Usdc};
use golem_life::door::{Hands, World};
use golem_life::paper::PaperHands;
use golem_life::{Ask, Being, Fact, Genesis, Life, Order, Settings, Standing, Status, TickInput};

/// One life under observation.
pub struct Subject<W> {
    life: Life,
    world: W,
    hands: PaperHands,
    /// Facts of the last turn.
    pub facts: Vec<Envelope<Fact>>,
    orders: Vec<Order>,
}

impl<W: World> Subject<W> {
    /// A newborn with an open seed, in a world.
    pub fn new(seed: u64, funding: Usdc, settings: &Settings, world: W) -> Self {
        let (secret, genesis) = newborn(seed, funding, settings, &world);
        let life = Life::born(&genesis, &secret);
        Self { life, world, hands: PaperHands, facts: Vec::new(), orders: Vec::new() }
    }

    /// Ask something of it in the next turn.
    pub fn ask(&mut self, ask: Ask) {
        let id = self.orders.len() as u64 + 1;
        self.orders.push(Order { id, ask });
    }

    /// One turn; false when there is none (dead, or the world has ended).
    pub fn turn(&mut self) -> bool {
        if Being::standing(&self.life) == Standing::Dead {
            return false;
        }
        let age = self.life.next_age();
        let Some(raw) = self.world.observe(age) else { return false };
        let input = TickInput {
            at: self.world.epoch().after(age.age()),
            seen: raw.admit(),
            orders: std::mem::take(&mut self.orders),
        };
        self.facts.clear();
        let intents = self.life.begin(&input, &mut self.facts);
        let mut receipts = Vec::with_capacity(intents.len());
        for intent in &intents {
            receipts.push(self.hands.act(intent, &self.life.holdings(), &input.seen));
        }
        self.life.finish(&receipts, &mut self.facts);
        true
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
    /// Age in days.
    pub fn age_days(&self) -> f64 {
        self.life.age().age().as_days()
    }
    /// True once it has died.
    pub fn is_dead(&self) -> bool {
        Being::standing(&self.life) == Standing::Dead
    }
}

/// What a life with an open seed is born from: no keys, since it signs nothing.
pub fn newborn(seed: u64, funding: Usdc, settings: &Settings, world: &impl World) -> (Secret, Genesis) {
    let secret = Secret::from_seed(seed);
    let name: Name = format!("subject-{seed}").parse().unwrap_or_else(|_| unreachable!("a valid name by construction"));
    let identity = Identity { name: &name, public_key: Hash::default(), commitment: secret.commitment() };
    let birth = identity.first_ancestor(true, world.epoch(), funding, settings.hash());
    let set = settings.heartbeat.tick_interval_s;
    let interval_s = if set > 0 { set } else { world.natural_interval_s().unwrap_or(NOMINAL_TICK_S) };
    (secret, Genesis { birth, settings: settings.clone(), interval_s })
}
