//! Makes market files for the tests of the recorded world.

#![allow(dead_code, reason = "each test file uses its own part")]

use golem_core::door::World;
use golem_core::{Dice, RawObservation, Strand, VirtualTime};
use golem_lab::world::{CsvError, CsvMode, CsvOptions, CsvWorld};
use std::fmt::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// The opening of the first bar.
pub const START: i64 = 1_600_000_200;
/// The header that every market file needs.
pub const HEADER: &str = "timestamp,open,high,low,close,volume";

/// One bar to be written.
#[derive(Debug, Clone, Copy)]
pub struct Bar {
    /// Opening time.
    pub time: i64,
    /// Open, high, low, close and volume.
    pub cells: [f64; 5],
}

/// Bars whose insides are an honest random walk of many small steps: nothing in them can be forecast.
pub fn random_walk(seed: u64, bars: usize, bar_s: i64) -> Vec<Bar> {
    let dice = Dice::open(seed, Strand::World);
    let mut price = 1_000.0;
    let walk = |n: usize| {
        let mut draws = dice.draws(n as u64);
        let open: f64 = price;
        let (mut high, mut low) = (open, open);
        for _ in 0..450 {
            let (a, b) = draws.normals();
            for z in [a, b] {
                price *= libm::exp(0.0003 * z);
                (high, low) = (high.max(price), low.min(price));
            }
        }
        Bar { time: START + n as i64 * bar_s, cells: [open, high, low, price, 5.0 + draws.uniform()] }
    };
    (0..bars).map(walk).collect()
}

/// The bars as a file's text.
pub fn text(bars: &[Bar]) -> String {
    let mut text = format!("{HEADER}\n");
    for Bar { time, cells: [o, h, l, c, v] } in bars {
        writeln!(text, "{time},{o},{h},{l},{c},{v}").expect("strings take everything");
    }
    text
}

/// A directory with a file of this text in it.
pub fn file(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("market.csv");
    std::fs::write(&path, text).expect("a file");
    (dir, path)
}

/// The world of this text.
pub fn open(text: &str, options: &CsvOptions) -> Result<CsvWorld, CsvError> {
    let (_dir, path) = file(text);
    CsvWorld::open(path, options)
}

/// The world of these bars.
pub fn world(bars: &[Bar], mode: CsvMode) -> CsvWorld {
    open(&text(bars), &CsvOptions { mode, ..CsvOptions::default() }).expect("a sound file")
}

/// What there is to see so many seconds after birth.
pub fn see(world: &mut CsvWorld, age_s: u64) -> Option<RawObservation> {
    world.observe(VirtualTime(age_s * 1_000))
}
