//! The test kit of the RPC door: real nodes (anvil) on free ports, and proxies before them that misbehave on purpose.

#![allow(dead_code, reason = "each test binary uses a part of the kit")]

pub mod anvil;
pub mod http;
pub mod pen;
pub mod proxy;
pub mod town;

pub use anvil::Anvil;
pub use pen::AnyPen;
pub use proxy::{Behave, Proxy};
pub use town::{Maker, Tokens, Town};
