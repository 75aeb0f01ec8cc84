//! Pools, markets and scenarios, against the arithmetic of the contracts.

mod act;
mod dream_kit;
mod dreams;
mod market;
mod market_gauge;
mod market_weather;
mod market_world;
mod maths;
mod paper;
mod paper_world;
mod scenario;
