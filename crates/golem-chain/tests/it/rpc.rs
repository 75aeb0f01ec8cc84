//! The RPC door against real nodes and misbehaving proxies.

mod contact;
mod crashes;
mod forks;
pub(crate) mod golem;
mod home;
mod mean;
mod nodes;
mod permits;
mod rivals;
mod rollups;
mod sending;
mod state;
mod strangers;
mod tokens;
mod trading;
