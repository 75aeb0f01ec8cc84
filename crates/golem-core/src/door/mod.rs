//! The doors between a life and what is not part of it: a world to see, hands to act with, models to ask. Both sides know
//! these words alone: who lives does not know who stands behind a door, and who stands there does not know who lives.

mod claims;
mod effect;
mod fork;
mod hands;
mod models;
mod vectors;
mod world;

pub use claims::{ChainClaim, ClaimReply, ClaimRequest, MOST_CHAIN_CLAIMS, PRICE_TOLERANCE_BPS};
pub use effect::{Amended, BadEffectKey, EffectKey, Reconciled};
pub use fork::{
    ForkAct, ForkActed, ForkDeed, ForkFailure, ForkFrom, ForkRan, ForkReply, ForkRequest, ForkResult, ForkRun,
    MOST_FORK_ACTS, MOST_FORK_EVENTS, MOST_FORK_RUNS, MOST_FORK_STEPS,
};
pub use hands::{Hands, Idle, InProcess, KeyedHands};
pub use models::{Models, NoModels};
pub use vectors::{EmbedReply, EmbedRequest, Embedding, rounded};
pub use world::{PastRow, World};
