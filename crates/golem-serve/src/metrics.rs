//! Figures for Prometheus, in its plain text form: few families, and the golem's name as the only label that grows.

use crate::ServedHome;
use crate::fleet::FleetCard;
use golem_home::Fail;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the server itself has done.
#[derive(Debug, Default)]
pub(crate) struct ServeCounts {
    pub requests: AtomicU64,
    pub refused: AtomicU64,
    pub streams: AtomicU64,
    /// Clients that were dropped because they did not take what they were sent.
    pub stalled: AtomicU64,
}

impl ServeCounts {
    /// One more.
    pub fn one(of: &AtomicU64) {
        of.fetch_add(1, Ordering::Relaxed);
    }
    /// One less.
    pub fn less(of: &AtomicU64) {
        of.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A family of figures: its name, its kind, and what it is.
type Family = (&'static str, &'static str, &'static str);
/// A family of each golem's own, and where its figure stands on a card.
type OfEach = (&'static str, &'static str, fn(&FleetCard) -> Option<f64>);

const OF_EACH: [OfEach; 7] = [
    ("bardo_golem_vitality", "Composite vitality, 0 to 1.", |c| c.glance.as_ref().map(|g| g.vitality.composite)),
    ("bardo_golem_fitness", "Epistemic fitness, 0 to 1.", |c| c.glance.as_ref().map(|g| g.vitality.epistemic)),
    ("bardo_golem_worth_usdc", "Net asset value and what it has sent home.", |c| {
        c.card.worth_micro_usdc.map(|n| n as f64 / 1e6)
    }),
    // In a vigil the dice are not what decides.
    ("bardo_golem_survival_24h", "Probability that the dice let it live another day.", |c| {
        c.glance.as_ref().filter(|g| c.card.cause.is_none() && !g.vigil).map(|g| g.survival_24h)
    }),
    ("bardo_golem_suffering_load", "How heavy suffering is, 0 to 1.", |c| c.glance.as_ref().and_then(|g| g.load)),
    ("bardo_golem_turns", "Turns taken.", |c| Some(c.card.tick as f64)),
    ("bardo_golem_trades", "Actions carried out.", |c| c.glance.as_ref().map(|g| g.trades as f64)),
];

/// All of it; reads files.
pub(crate) fn page(served: &ServedHome) -> Result<String, Fail> {
    let cards = served.fleet.cards()?;
    let mut page = String::new();
    let mut standings: BTreeMap<&str, u64> = BTreeMap::new();
    for card in &cards {
        *standings.entry(if card.card.problem.is_some() { "unreadable" } else { &card.card.standing }).or_default() +=
            1;
    }
    head(&mut page, ("bardo_golems", "gauge", "Golems of this home."));
    for (standing, n) in standings {
        line(&mut page, "bardo_golems", &[("standing", standing)], n as f64);
    }
    for (name, about, of) in OF_EACH {
        head(&mut page, (name, "gauge", about));
        each(&mut page, name, of, &cards);
    }
    let c = &served.counts;
    for (family, n) in [
        (("bardo_serve_requests_total", "counter", "Requests."), &c.requests),
        (("bardo_serve_refused_total", "counter", "Requests that were refused."), &c.refused),
        (("bardo_serve_streams", "gauge", "Clients that listen."), &c.streams),
        (("bardo_serve_stalled_total", "counter", "Clients that were dropped for not listening."), &c.stalled),
    ] {
        head(&mut page, family);
        line(&mut page, family.0, &[], n.load(Ordering::Relaxed) as f64);
    }
    head(&mut page, ("bardo_serve_watched_golems", "gauge", "Golems that somebody watches."));
    line(&mut page, "bardo_serve_watched_golems", &[], served.feeds.count() as f64);
    Ok(page)
}

fn each(page: &mut String, name: &str, of: fn(&FleetCard) -> Option<f64>, cards: &[Arc<FleetCard>]) {
    for card in cards {
        if let Some(n) = of(card) {
            // A folder that was copied into the home brings a name that is there already.
            line(page, name, &[("golem", &card.card.name), ("id", &card.card.id)], n);
        }
    }
}

fn head(page: &mut String, (name, kind, about): Family) {
    let _written = writeln!(page, "# HELP {name} {about}\n# TYPE {name} {kind}");
}

/// Names of golems and standings are plain words: nothing in them needs an escape.
fn line(page: &mut String, name: &str, labels: &[(&str, &str)], n: f64) {
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{value}\"")).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _written = writeln!(page, "{name}{labels} {n}");
}
