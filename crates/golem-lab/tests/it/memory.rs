//! Memory over a month of life: bounded, and mostly of use.

use golem_core::Usdc;
use golem_grimoire::junk::junk;
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::Settings;

/// Thirty virtual days.
const MONTH: u64 = 30 * 2_160;
/// The most entries that are active at a time.
const CAPACITY: usize = 500;

#[test]
fn after_a_month_little_of_what_is_known_is_junk_and_all_of_it_is_bounded() {
    let seeds = if std::env::var_os("BARDO_LONG").is_some() { 1..=12 } else { 1..=2 };
    for seed in seeds {
        let mut settings = Settings::default();
        settings.mortality.immortal = true;
        let world = Synthetic::new(SyntheticConfig::default(), seed).unwrap();
        let mut golem = Subject::new(seed, Usdc::whole(500), &settings, world).unwrap();
        let mut most = 0;
        for _ in 0..30 {
            golem.turns(MONTH / 30);
            most = most.max(golem.life().grimoire().unwrap().shelf().active().count());
        }
        let grimoire = golem.life().grimoire().unwrap();
        let report = junk(grimoire.shelf(), golem.life().age());
        let share = f64::from(report.junk) / f64::from(report.active.max(1));
        eprintln!("seed {seed}: {} active of at most {most}, junk {:.1} %, {report:?}", report.active, share * 100.0);
        assert!(report.active > 0 && most <= CAPACITY, "{report:?}");
        assert!(share <= 0.10, "{report:?}");
        // Forty episodes an hour at most.
        assert!(grimoire.shelf().episode_count() as u64 <= 40 * 24 * 30);
    }
}
