//! Chains with contracts under a golem: an embedded EVM with history and forks, and any node over JSON-RPC.
//!
//! Where to begin: `embedded` is a chain of our own in this process; `contracts` is what is deployed on it; `calls` turns
//! an action into transactions; `profile` is what is published of chains that people use. Model text never comes here, and no key does.

pub mod calls;
pub mod contracts;
pub mod embedded;
pub mod evm;
mod machine;
pub mod profile;
pub mod rpc;
pub mod serve;
