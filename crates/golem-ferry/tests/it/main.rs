//! Golems that speak through a real relay: what one says is heard by the others, once, whatever breaks on the way.

mod broken;
mod carrying;
mod copied;
mod killed;
mod kit;
mod lying;
mod marks;
mod meanwhile;
mod tls;
