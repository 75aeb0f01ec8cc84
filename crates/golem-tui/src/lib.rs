//! A home on a terminal: all golems at a glance, a life in five views, a replay of what is over, the death screen and the wizard
//! that summons a successor.
//!
//! It knows no file and holds no rule of life. What it shows comes through one door ([`LifeSource`]), what its owner wants goes
//! out by the same door, screens are functions of what is known ([`LifeScene`]) and of where one looks ([`TuiState`]), and a key
//! is a step of a state machine. Only [`run`] owns a terminal and a clock.

mod act;
mod deck;
mod draw;
mod feed;
mod fleet;
mod keys;
mod palette;
mod run;
mod scene;
mod source;
mod sprite;
mod state;
mod wizard;

pub use act::perform;
pub use deck::ReplayDeck;
pub use draw::{LEAST_SIZE, draw};
pub use feed::SceneFeed;
pub use fleet::{FleetDesk, FleetKind, FleetSort, FleetTotals};
pub use keys::{KeyPress, pass, press};
pub use palette::Palette;
pub use run::{TuiOptions, run};
pub use scene::{LifeScene, ShownMoment, ToldLine};
pub use source::{
    BirthTold, BloodMark, DreamTold, FleetLook, FreshWish, GraveStone, LifeCard, LifeNow, LifeSource, LineNode,
    LoreEntry, ScreenOrder, SourceFailure, SuccessorOffer, SuccessorWish,
};
pub use state::{TuiDeed, TuiPopup, TuiState, TuiView};
pub use wizard::{PULL_MS, SuccessionWizard, WizardStep};
