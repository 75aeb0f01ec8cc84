//! The embedded chain, with the real contracts: fetched once, then cached under the build folder.

mod embedded {
    mod against_paper;
    mod common;
    mod contracts;
    mod crash;
    mod deployment;
    mod history;
    mod layout;
    mod script;
    mod tokens;
}
