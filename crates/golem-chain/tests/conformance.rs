//! One suite for every chain under a golem: paper, embedded and a real node are given the same, and do the same.

#![allow(clippy::print_stderr, reason = "tests say what they measured and what they left out")]

#[allow(unused_imports, reason = "each test binary uses a part of the kit")]
mod kit;

mod conformance {
    mod again;
    #[path = "../embedded/common.rs"]
    #[allow(dead_code, reason = "shared with the tests of the embedded chain")]
    mod common;
    mod everywhere;
    mod forks;
    mod gas_table;
    mod life;
    mod preview;
    #[path = "../embedded/script.rs"]
    #[allow(dead_code, reason = "shared with the tests of the embedded chain")]
    mod script;
    mod twin;
}
