//! The shared words of a golem: ids, time, money, unit intervals, dice, facts, intents, observed fields.
//!
//! This crate knows no sibling and does no IO. Whatever two rooms must agree on is spelled here once.

pub mod address;
pub mod allowance;
pub mod birth;
pub mod dice;
pub mod digits;
pub mod door;
pub mod dot;
pub mod fact;
pub mod footing;
pub mod happening;
pub mod hash;
pub mod home;
pub mod ids;
pub mod intent;
pub mod market;
pub mod model;
pub mod money;
pub mod observed;
pub mod patience;
pub mod plain;
pub mod problem;
pub mod reference;
pub mod regime;
pub mod time;
pub mod tool;
pub mod unit;
pub mod venue;
pub mod verification;
pub mod words;

pub use address::HomeAddress;
pub use birth::Birth;
pub use dice::{Dice, Secret, Strand};
pub use fact::{Envelope, Seq};
pub use footing::Footing;
pub use hash::Hash;
pub use home::Homeward;
pub use ids::{GolemId, Name, OwnerId};
pub use intent::{Asset, HomeSum, Intent};
pub use market::{Observation, ProtocolState, RawObservation};
pub use money::{Usdc, UsdcDelta};
pub use problem::Problem;
pub use reference::{ReferenceKind, ReferencePrice};
pub use regime::Regime;
pub use time::{Elapsed, NOMINAL_TICK_S, Tick, Timestamp, VirtualTime};
pub use tool::Tool;
pub use unit::{Finite, Positive, Unit};
pub use venue::{Action, Book, Point, Preview, Receipt};
pub use verification::OutcomeVerification;
