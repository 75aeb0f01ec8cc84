//! The RPC door against real nodes and misbehaving proxies.

mod kit;

#[path = "rpc/nodes.rs"]
mod nodes;
#[path = "rpc/sending.rs"]
mod sending;
#[path = "rpc/state.rs"]
mod state;
#[path = "rpc/trading.rs"]
mod trading;
