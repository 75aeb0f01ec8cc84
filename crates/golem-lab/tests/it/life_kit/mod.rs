//! A life with everything that goes into a turn and comes out of it in view: orders and edits, replies, facts, rows.
#![allow(dead_code)]

use golem_clade::heirloom::Heirloom;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_clade::life_left::LifeLeft;
use golem_core::birth::{Descent, Identity};
use golem_core::door::{Models, NoModels, World};
use golem_core::fact::Envelope;
use golem_core::{Hash, Secret, Usdc};
use golem_grimoire::change::NamedTable;
use golem_grimoire::{Change, Marks, Remembered};
use golem_lab::subject::{account, hands_of, newborn, paper_in};
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::drive::InMemory;
use golem_life::{Ask, Being, Fact, Genesis, Life, LifeFact, Order, Settings, TickInput, TurnEnd, WrittenPages};
use golem_venue::floor::{FloorHands, FloorWorld, SharedFloor};
use golem_venue::scenario::Scenario;
use std::sync::Arc;

/// What a golem's file holds, as simple as can be: what a life that is restored remembers.
#[derive(Default)]
pub struct Written(Remembered);

impl Written {
    pub fn write(&mut self, changes: &[Change]) {
        let Remembered { episodes, entries, rows, vectors, .. } = &mut self.0;
        for change in changes.iter().cloned() {
            match change {
                Change::Episode { episode, embedding } => episodes.push((*episode, Marks::default(), embedding)),
                Change::Marked { id, marks } => {
                    episodes.iter_mut().find(|(e, ..)| e.id == id).expect("marked before it was").1 = marks;
                }
                Change::Entry { entry, embedding } => entries.push((*entry, embedding)),
                Change::Stands { id, standing } => {
                    let (entry, _) = entries.iter_mut().find(|(e, _)| e.id == id).expect("stood before it was");
                    entry.standing = standing;
                }
                Change::Row { table, key, body, .. } => {
                    rows.retain(|(t, k, _)| (*t, k) != (table, &key));
                    rows.push((table, key, body));
                }
                Change::Vector { of, embedding } => vectors.push((of, embedding)),
            }
        }
    }
    pub fn remembered(&self) -> Remembered {
        self.0.clone()
    }
}

pub struct Watched {
    pub life: Life,
    pub world: FloorWorld,
    pub hands: FloorHands,
    pub models: Box<dyn Models>,
    genesis: Genesis,
    secret: Secret,
    floor: SharedFloor,
}

/// What came out of a turn.
pub struct Turn {
    pub facts: Vec<Envelope<Fact>>,
    pub changes: Vec<Change>,
    pub end: TurnEnd,
}

impl Turn {
    /// The facts of the life itself.
    pub fn told(&self) -> impl Iterator<Item = &LifeFact> {
        self.facts.iter().filter_map(|f| match &f.body {
            Fact::Life(fact) => Some(fact),
            _ => None,
        })
    }
    /// Keys and bodies of the rows of a table.
    pub fn rows(&self, of: NamedTable) -> impl Iterator<Item = (&str, &str)> {
        self.changes.iter().filter_map(move |change| match change {
            Change::Row { table, key, body, .. } if *table == of => Some((key.as_str(), body.as_str())),
            _ => None,
        })
    }
    /// What an order was answered.
    pub fn reply(&self, order: u64) -> Option<&str> {
        self.end.replies.iter().find(|r| r.order == order).map(|r| r.text.as_str())
    }
}

impl Watched {
    pub fn born(seed: u64, usdc: u64, settings: &Settings) -> Self {
        Self::on_floor(seed, usdc, settings).0
    }
    /// The same, and the floor it stands on.
    pub fn on_floor(seed: u64, usdc: u64, settings: &Settings) -> (Self, SharedFloor) {
        Self::in_weather(seed, usdc, settings, None)
    }
    /// The same in some weather.
    pub fn in_weather(seed: u64, usdc: u64, settings: &Settings, weather: Option<Scenario>) -> (Self, SharedFloor) {
        let world = Synthetic::new(SyntheticConfig::default(), seed).unwrap();
        let (secret, genesis) = newborn(seed, Usdc::whole(usdc), settings, &world);
        let floor = paper_in(seed, world, weather).unwrap();
        (Self::on(floor.clone(), genesis, secret, 0), floor)
    }
    /// Somebody on a floor that has come so far.
    fn on(floor: SharedFloor, genesis: Genesis, secret: Secret, joined: u64) -> Self {
        let who = account(&genesis);
        let world = FloorWorld::new(floor.clone(), who, joined).like(Some(genesis.interval_s), None);
        let (life, hands) = (Life::born(&genesis, &secret), hands_of(&genesis, floor.clone()));
        Self { life, world, hands, models: Box::new(NoModels), genesis, secret, floor }
    }
    /// An heir of this golem with all that it is left, on the same floor a while later.
    pub fn heir(&self, seed: u64, heirloom: Heirloom) -> Self {
        let (secret, joined) = (Secret::from_seed(seed), self.life.age().age().nominal_floor() + 1);
        let name = format!("heir-{seed}").parse().unwrap();
        let identity = Identity { name: &name, public_key: Hash::default(), commitment: secret.commitment() };
        let born_at = FloorWorld::new(self.floor.clone(), account(&self.genesis), joined).epoch();
        let first = identity.first_ancestor(true, born_at, self.genesis.birth.funding, self.genesis.settings.hash());
        let birth = first.descending(Descent {
            parent: heirloom.lineage.golem,
            lineage: heirloom.lineage.id,
            generation: heirloom.lineage.generation + 1,
            inheritance: heirloom.checksum(),
        });
        let inheritance = Some(Arc::new(Inheritance { heirloom, choice: InheritanceChoice::default() }));
        let genesis = Genesis { birth, inheritance, ..self.genesis.clone() };
        Self::on(self.floor.clone(), genesis, secret, joined)
    }
    /// What it leaves as things stand, with these pages.
    pub fn leaves(&self, pages: &WrittenPages) -> Heirloom {
        let grimoire = self.life.grimoire().unwrap();
        let left = LifeLeft {
            birth: &self.genesis.birth,
            inheritance: self.genesis.inheritance.as_deref(),
            taken_in: self.genesis.taken_in_at(),
            now: self.life.age(),
            shelf: grimoire.shelf(),
            playbook: grimoire.playbook(),
            pages: pages.left(),
            asked: &self.genesis.settings.divergence,
        };
        left.heirloom(grimoire.graph().edges(), grimoire.staging().proposals(), 2_048)
    }
    /// What it was born with.
    pub fn origin(&self) -> (&Genesis, &Secret) {
        (&self.genesis, &self.secret)
    }
    pub fn with_models(self, models: impl Models + 'static) -> Self {
        Self { models: Box::new(models), ..self }
    }
    /// The same golem, with this in its file.
    pub fn remembering(mut self, memory: Remembered) -> Self {
        self.life = Life::restore(&self.genesis, &self.secret, &self.life.save().join(), memory).unwrap();
        self
    }

    /// What the next turn would bring by itself.
    /// Hands on the same floor, for who stands behind others.
    pub fn hands_again(&self) -> FloorHands {
        hands_of(&self.genesis, self.floor.clone())
    }
    pub fn input(&mut self) -> TickInput {
        let age = self.life.next_age();
        let seen = self.world.observe(age).unwrap().admit();
        TickInput { at: self.world.epoch().after(age.age()), seen, ..TickInput::default() }
    }
    pub fn turns(&mut self, n: u64) {
        (0..n).for_each(|_| drop(self.turn()));
    }
    pub fn turn(&mut self) -> Turn {
        let input = self.input();
        self.live(&input)
    }
    /// A turn in which the owner asks something, as orders 1, 2 and so on.
    pub fn asked(&mut self, asks: Vec<Ask>) -> Turn {
        let orders = (1..).zip(asks).map(|(id, ask)| Order { id, ask }).collect();
        let input = TickInput { orders, ..self.input() };
        self.live(&input)
    }
    pub fn live(&mut self, input: &TickInput) -> Turn {
        let Self { life, hands, models, .. } = self;
        let (_, end) = InMemory { being: life, hands, models: models.as_mut() }.turn(input.clone());
        let facts = std::mem::take(self.life.facts());
        Turn { facts, changes: self.life.changes(), end }
    }
}
