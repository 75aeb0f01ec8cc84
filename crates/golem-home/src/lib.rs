//! An owner's home, read. Every surface (command line, terminal, page, tools for other agents) asks [`HomeReader`], and so
//! they all say the same; what is told to a golem goes through its durable inbox ([`orders`]).
//!
//! Reads are short: a file is opened, asked and closed, so that nobody who looks on keeps a golem from living.

pub mod asked;
pub mod budget;
pub mod bundle;
pub mod cards;
pub mod causes;
pub mod chains;
pub mod departed;
mod dream_provider;
pub mod dreams;
pub mod estate;
pub mod facts;
pub mod fail;
pub mod forecasts;
pub mod golem_file;
pub mod graves;
pub mod holdings;
pub mod home;
pub mod insured;
pub mod knowledge;
pub mod life_page;
pub mod likeness;
pub mod line;
pub mod logs;
pub mod lore;
pub mod notify;
pub mod obituary;
pub mod orders;
pub mod origins;
pub mod pain;
pub mod reader;
pub mod record;
pub mod retell;
pub mod rules;
pub mod sealed;
pub mod search;
pub mod settings_file;
pub mod shelf;
pub mod stamp;
pub mod stored;
pub mod testament;
pub mod thinkers;
pub mod trades;
pub mod vitals;
mod witness;
pub mod world;

pub use fail::Fail;
pub use home::{Home, Place};
pub use reader::HomeReader;
