//! One file per command.

pub mod backtest;
pub mod chain;
pub mod completions;
pub mod config;
pub mod contracts;
pub mod create;
pub mod demo;
pub mod doctor;
pub mod grimoire;
pub mod import;
pub mod list;
pub mod logs;
pub mod models;
pub mod orders;
pub mod playbook;
pub mod predictions;
pub mod replay;
pub mod restore;
pub mod run;
pub mod status;
pub mod suffering;
pub mod verify;
pub mod vitals;
pub mod wallet;
pub mod witness;
