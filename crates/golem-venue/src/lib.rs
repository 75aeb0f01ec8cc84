//! Venues: one trait for every chain a golem can trade on, exact Uniswap v3 arithmetic without an EVM, the market that
//! moves a venue's price, and the weather that can be sent through it.
//!
//! Where to begin: [`Venue`] is what every chain answers; [`act::preview`] and [`act::carry_out`] turn intents into
//! actions the same way on all of them; `paper` is the venue without contracts; `market` keeps a venue near an outside price.
//! Nothing here reads a clock, a file or a socket: a venue that must is a door of its own.

pub mod act;
pub mod checks;
pub mod copy;
pub mod deed;
pub mod floor;
pub mod gas;
pub mod genesis;
pub mod lending;
pub mod market;
pub mod observations;
pub mod paper;
pub mod pool;
pub mod scenario;
pub mod spot;
pub mod venue;
pub mod worth;

pub use genesis::{GenesisConfig, genesis_liquidity};
pub use observations::reference;
pub use paper::PaperVenue;
pub use venue::{Account, Actor, ChainKind, Done, Header, MarketTrade, MeanTick, Traded, Venue, VenueError, View};
