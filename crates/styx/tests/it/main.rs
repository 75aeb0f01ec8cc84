//! The relay, held against its model, its faults and its attackers.

mod conform;
mod desk;
mod kit;
