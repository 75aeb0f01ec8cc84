//! The runtime held against a tiny being: crashes, damage, full disks, two processes, stopped clocks.
#![allow(missing_docs, clippy::print_stderr, reason = "tests")]

mod acknowledged;
mod asking;
mod crash_loop;
mod damage;
mod disk;
mod dying;
mod effects;
mod fence;
mod fleet;
mod library_file;
mod life;
mod memory;
mod orders;
mod page;
mod past;
mod redo;
mod snapshots;
mod sweep;
mod time;
mod toy;
