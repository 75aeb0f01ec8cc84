//! No look-ahead: what the future holds changes nothing before it. Two histories agree up to a bar and then part wildly; up to
//! that bar the golem lives the same life, fact by fact, on the paper chain, with every template.

use golem_core::Usdc;
use golem_lab::Subject;
use golem_lab::world::{CsvMode, CsvOptions, CsvWorld};
use golem_life::Settings;
use golem_mind::Template;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const BARS: usize = 900;
const PARTS_AT: usize = 600;

/// Hourly bars; after the parting every price is `times` what it would have been.
fn history(dir: &Path, name: &str, times: f64) -> PathBuf {
    let mut text = "timestamp,open,high,low,close,volume\n".to_owned();
    let mut price: f64 = 2_000.0;
    for n in 0..BARS {
        let open = price;
        price *= 1.0 + 0.012 * (n as f64 * 0.7).sin() + 0.004 * (n as f64 * 0.11).cos();
        let scale = if n >= PARTS_AT { times } else { 1.0 };
        let (high, low) = (open.max(price) * 1.003, open.min(price) * 0.997);
        let at = 1_640_995_200 + n * 3_600;
        writeln!(text, "{at},{},{},{},{},1000", open * scale, high * scale, low * scale, price * scale).unwrap();
    }
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Everything that happened, turn by turn.
fn lived(path: &Path, mode: CsvMode, template: Template, turns: u64) -> Vec<String> {
    lived_with(path, mode, template, turns, Settings::default())
}

fn lived_with(path: &Path, mode: CsvMode, template: Template, turns: u64, mut settings: Settings) -> Vec<String> {
    settings.policy.template = template;
    settings.mortality.immortal = true;
    settings.diagnostics.enabled = false;
    let world = CsvWorld::open(path, &CsvOptions { mode, ..CsvOptions::default() }).unwrap();
    let mut subject = Subject::new(9, Usdc::whole(1_000), &settings, world).unwrap();
    let mut all = Vec::new();
    for _ in 0..turns {
        if !subject.turn() {
            break;
        }
        all.push(format!("{} {}", subject.life().balance(), serde_json::to_string(&subject.facts).unwrap()));
    }
    all
}

#[test]
fn a_tell_tale_in_the_future_changes_nothing_before_it() {
    let tmp = tempfile::tempdir().unwrap();
    let (calm, doom, boom) =
        (history(tmp.path(), "calm", 1.0), history(tmp.path(), "doom", 0.2), history(tmp.path(), "boom", 7.0));
    let mut traded = 0;
    for template in Template::ALL {
        // The bar that parts is visible once it has closed.
        let visible = PARTS_AT as u64 - 1;
        let plain = lived(&calm, CsvMode::PerBar, template, visible + 3);
        for other in [&doom, &boom] {
            let told = lived(other, CsvMode::PerBar, template, visible + 3);
            for (turn, (a, b)) in plain.iter().zip(&told).enumerate().take(visible as usize) {
                assert_eq!(a, b, "{template}: turn {turn} knew of the future");
            }
            assert_ne!(plain[visible as usize..], told[visible as usize..], "{template}: the tell-tale is never seen");
        }
        traded += plain.iter().filter(|facts| facts.contains("action.outcome")).count();
    }
    assert!(traded > 20, "{traded}: a golem that does nothing proves nothing");
}

#[test]
fn the_bridge_between_bars_knows_no_future_either() {
    let tmp = tempfile::tempdir().unwrap();
    let (calm, doom) = (history(tmp.path(), "calm", 1.0), history(tmp.path(), "doom", 0.2));
    // The golem is born when the first bar closes, and a bar is played during its own hour.
    let (mode, parts) = (CsvMode::Bridge { seed: 3 }, (PARTS_AT as u64 - 1) * 90);
    let [a, b] = [&calm, &doom].map(|path| lived(path, mode, Template::LpManagement, parts));
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count() as u64;
    assert_eq!(same, parts - 1, "the first turn that differs is the first of the bar that parts");
}

/// Dreams look back, and carry on what they have seen: what a copy is run on ends at the present.
#[test]
fn dreams_know_no_future_either() {
    let tmp = tempfile::tempdir().unwrap();
    let (calm, doom) = (history(tmp.path(), "calm", 1.0), history(tmp.path(), "doom", 0.2));
    let mut settings = Settings::default();
    settings.dream.enabled = true;
    let first = &mut settings.dream.first_dream;
    (first.thriving, first.stable, first.conservation, first.declining) = (20, 20, 20, 20);
    let visible = PARTS_AT as u64 - 1;
    for template in [Template::LpManagement, Template::TrendFollowing] {
        let [a, b] =
            [&calm, &doom].map(|path| lived_with(path, CsvMode::PerBar, template, visible + 3, settings.clone()));
        for (turn, (a, b)) in a.iter().zip(&b).enumerate().take(visible as usize) {
            assert_eq!(a, b, "{template}: turn {turn} dreamt of the future");
        }
        assert_ne!(a[visible as usize..], b[visible as usize..], "{template}: the tell-tale is never seen");
        let tried = a.iter().filter(|facts| facts.contains("dream.counterfactual")).count();
        assert!(tried > 3, "{template}: {tried} turns in which something was tried");
    }
}
