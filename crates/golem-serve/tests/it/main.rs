//! The server as its clients have it: a real one in this process, over sockets, beside golems that live.

mod api;
mod events;
mod kit;
mod views;
