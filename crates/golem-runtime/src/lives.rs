//! Real lives in the loop. What is generic is compiled where it is named with its types: named here, the loop around a
//! golem is compiled in this room, once and as this room is, however plainly the rooms above are built.

use crate::error::Error;
use crate::fleet::Member;
use crate::origin::Origin;
use crate::rebuild::{Rebuilt, rebuild};
use crate::replay::{ReplayReport, replay};
use crate::runner::Runner;
use crate::store::Store;
use crate::terms::{Around, Progress, Until, WhyBack};
use golem_core::Tick;
use golem_core::door::{KeyedHands, World};
use golem_life::{Being, Genesis, Life};
use std::path::Path;

/// Whatever world a golem looks at.
pub type AnyWorld = Box<dyn World>;
/// Whatever carries out what it wants.
pub type AnyHands = Box<dyn KeyedHands<<Life as Being>::Permit>>;

/// A real life in its loop.
pub struct LifeRunner(Runner<Life, AnyWorld, AnyHands>);

impl LifeRunner {
    /// See [`Runner::open`].
    ///
    /// # Errors
    /// The same.
    pub fn open(
        store: Store,
        genesis: &Genesis,
        world: AnyWorld,
        hands: AnyHands,
        around: Around<<Life as Being>::Fact>,
    ) -> Result<Self, Error> {
        Runner::open(store, genesis, world, hands, around).map(Self)
    }
    /// See [`Runner::run`].
    ///
    /// # Errors
    /// The same.
    pub fn run(&mut self, until: Until) -> Result<WhyBack, Error> {
        self.0.run(until)
    }
    /// See [`Runner::close`].
    ///
    /// # Errors
    /// The same.
    pub fn close(self) -> Result<(), Error> {
        self.0.close()
    }
}

impl Member for LifeRunner {
    fn advance(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error> {
        self.0.advance_until(at_most, until_ms)
    }
    fn close(self: Box<Self>) -> Result<(), Error> {
        self.0.close()
    }
}

/// [`replay`] of a real life.
///
/// # Errors
/// The same.
pub fn replay_life(
    dir: &Path,
    until: Option<Tick>,
    mut born: impl FnMut(&Origin) -> Result<Life, String>,
) -> Result<ReplayReport, Error> {
    life_again(dir, until, &mut born)
}

fn life_again(
    dir: &Path,
    until: Option<Tick>,
    born: &mut dyn FnMut(&Origin) -> Result<Life, String>,
) -> Result<ReplayReport, Error> {
    replay(dir, until, born)
}

/// [`rebuild`] of a real life.
///
/// # Errors
/// The same.
pub fn rebuild_life(
    dir: &Path,
    genesis: &Genesis,
    world: &mut AnyWorld,
    hands: &mut AnyHands,
) -> Result<Rebuilt, Error> {
    rebuild::<Life, _, _>(dir, genesis, world, hands)
}
