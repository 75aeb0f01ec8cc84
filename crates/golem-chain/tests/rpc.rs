//! The RPC door against real nodes and misbehaving proxies.

mod kit;

#[path = "rpc/contact.rs"]
mod contact;
#[path = "rpc/crashes.rs"]
mod crashes;
#[path = "rpc/forks.rs"]
mod forks;
#[path = "rpc/golem.rs"]
mod golem;
#[path = "rpc/nodes.rs"]
mod nodes;
#[path = "rpc/rivals.rs"]
mod rivals;
#[path = "rpc/sending.rs"]
mod sending;
#[path = "rpc/state.rs"]
mod state;
#[path = "rpc/strangers.rs"]
mod strangers;
#[path = "rpc/tokens.rs"]
mod tokens;
#[path = "rpc/trading.rs"]
mod trading;
