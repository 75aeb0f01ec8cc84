//! What a newborn gains in ten days by an export of somebody who lived sixty in the same world, on another path of it.
//!
//! `cargo run --release -p golem-lab --example heirs -- SEEDS [WORLD,WORLD... [FIRST]]`, where FIRST is the first seed. A line gives the difference of the newborn
//! that was told something from the one that was told nothing, on the same path, with two standard errors: of the skill of
//! the world's domain, and of worth. `told` is the export as it is, `turned` has every claim turned into its opposite, and
//! `in flat` is the same export where nothing of it is true.
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_grimoire::experts::DOMAINS;
use golem_lab::heirs::{HeirLife, export_after, heir_in, turned_round};
use golem_lab::stats::mean_and_error;
use golem_lab::world::{LAWS, place};

const LEARNT: f64 = 60.0;
const TOLD: f64 = 10.0;
/// Paths of heirs are none of those that were learnt from.
const OTHER_PATHS: u64 = 100_000;

/// The most that it may cost, as a share of worth.
const LEAST_WORTH: f64 = -0.003;

/// Differences of heirs from those who were told nothing.
#[derive(Default)]
struct HeirRow {
    skill: Vec<f64>,
    worth: Vec<f64>,
    active: usize,
}

impl HeirRow {
    fn take(&mut self, at: usize, told: &HeirLife, nothing: &HeirLife) {
        self.skill.push(told.skill[at] - nothing.skill[at]);
        self.worth.push(told.worth / nothing.worth - 1.0);
        self.active += told.active;
    }
    fn print(&self, world: &str, what: &str, entries: usize) {
        let ((skill, skill_error), (worth, worth_error)) = (mean_and_error(&self.skill), mean_and_error(&self.worth));
        let (skill_error, worth_error) = (2.0 * skill_error, 2.0 * worth_error);
        // What is asked: told where it is so it forecasts better; elsewhere, and turned round, it costs next to nothing; and
        // nothing that was turned round is active in the end.
        let holds = match what {
            "told" => skill > skill_error,
            "turned" | "turned in flat" => worth - worth_error > LEAST_WORTH && self.active == 0,
            _ => worth - worth_error > LEAST_WORTH,
        };
        println!(
            "{world:10} {what:15} skill {skill:+.4} ± {skill_error:.4}   worth {:+.3} % ± {:.3}   active {} of {entries}   {}",
            100.0 * worth,
            100.0 * worth_error,
            self.active,
            if holds { "holds" } else { "does not hold" },
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, or: u64| words.get(n).and_then(|w| w.parse().ok()).unwrap_or(or);
    let (seeds, first) = (number(0, 4), number(2, 1));
    let worlds: Vec<String> = words
        .get(1)
        .map_or_else(|| LAWS.iter().map(|l| (*l).to_owned()).collect(), |w| w.split(',').map(str::to_owned).collect());
    for world in &worlds {
        let mut rows: [HeirRow; 4] = Default::default();
        let mut entries = 0;
        for law in first..first + seeds {
            let told = export_after(world, law, law, LEARNT).expect("a world");
            let (turned, path) = (turned_round(&told), OTHER_PATHS + law);
            let domain = place(world, law).expect("a world").truth.links.first().map(|link| link.domain);
            let at = DOMAINS.iter().position(|d| Some(*d) == domain).unwrap_or(0);
            entries += told.len();
            for (n, there) in [world.as_str(), "flat"].into_iter().enumerate() {
                let heir = |told: &[_]| heir_in(there, law, path, TOLD, told).expect("a world");
                let nothing = heir(&[]);
                rows[2 * n].take(at, &heir(&told), &nothing);
                rows[2 * n + 1].take(at, &heir(&turned), &nothing);
            }
        }
        for (row, what) in rows.iter().zip(["told", "turned", "told in flat", "turned in flat"]) {
            row.print(world, what, entries);
        }
    }
}
