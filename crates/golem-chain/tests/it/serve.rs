//! The JSON-RPC server over an embedded chain: with the clients that people use, and with requests that nobody should send.

mod clients;
mod common;
mod doors;
mod nodes;
mod storm;
mod transactions;
