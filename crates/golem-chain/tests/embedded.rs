//! The embedded chain, with the real contracts: fetched once, then cached under the build folder.

mod embedded {
    mod common;
    mod contracts;
    mod deployment;
}
