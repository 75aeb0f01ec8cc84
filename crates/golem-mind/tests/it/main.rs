//! The mind from outside: forecasts, policies, tiers, goals.

mod cache;
mod deliberate;
mod eth_dca;
mod goals;
mod guidance;
mod kit;
mod learning;
mod lp_management;
mod newborn;
mod policy;
mod predictions;
mod recorded;
mod reversal;
mod rivals;
mod settlement;
mod stable_yield;
mod state;
mod tier;
mod trend_following;
mod tuning;
mod unreferenced;
mod weather;
