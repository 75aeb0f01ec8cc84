//! The relay, held against its model, its faults and its attackers.

mod attack;
mod client;
mod conform;
mod desk;
mod evil;
mod killed;
mod kit;
mod once;
mod partition;
mod reading;
mod sealed_line;
mod serving;
mod share;
mod sibling;
