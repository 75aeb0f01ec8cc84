//! One suite for every chain under a golem: paper, embedded and a real node are given the same, and do the same.

#![allow(clippy::print_stderr, reason = "tests say what they measured and what they left out")]

use crate::embedded::{common, script};

mod again;
mod dreams;
mod everywhere;
mod forks;
mod gas_table;
mod life;
mod preview;
mod twin;
