//! What people read of a life: money, time, causes of death, facts and trades as words and numbers.
//!
//! One room for all who show something: a command line now; a terminal, a page, a report later. It knows no terminal and
//! does no IO: what comes in are facts, live or read back from a file, and what goes out are words and exact numbers.

pub mod causal;
pub mod cause;
pub mod course;
pub mod dreamt;
pub mod fact;
pub mod flap;
pub mod foresight;
pub mod lessons;
pub mod locked;
pub mod metrics;
pub mod money;
pub mod mood;
pub mod page;
pub mod position;
pub mod story;
pub mod testament;
pub mod thinking;
pub mod time;
pub mod trade;
pub mod wrap;
