//! The contracts that the house speaks with, as typed calls and events: tokens, Uniswap v3 and Uniswap v2.
//!
//! Only shapes live here. An address never does: which contract stands where is the venue's to say.

mod tokens;
mod uniswap_v2;
mod uniswap_v3;
mod uniswap_v3_periphery;

pub use tokens::{Erc20, Weth9};
pub use uniswap_v2::UniswapV2Factory;
pub use uniswap_v3::{UniswapV3Factory, UniswapV3Pool};
pub use uniswap_v3_periphery::{NonfungiblePositionManager, Quoter, QuoterV2, SwapRouter, SwapRouter02};
