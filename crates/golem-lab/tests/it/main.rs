//! Whole lives in seeded and recorded worlds: what the rooms do together.

mod calibration;
mod closed;
mod deliberation;
mod expiry;
mod inner_life;
mod lending;
mod life_kit;
mod living_costs;
mod look_ahead;
mod memory;
mod past;
mod planted_rule;
mod properties;
mod puppet;
mod puppet_kit;
mod pushing;
mod recorded_deaths;
mod remembering;
mod same_life;
mod world_csv;
mod world_csv_time;
mod world_help;
mod world_history;
mod world_statistics;
mod world_synthetic;
