//! What the relay has done, as figures for Prometheus. No owner and no golem is a label: who is here is nobody's business.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counts {
    ($($name:ident $kind:literal $about:literal,)*) => {
        /// Counters and gauges.
        #[derive(Debug, Default)]
        pub struct RelayCounts {
            $(#[doc = $about] pub $name: AtomicU64,)*
        }
        impl RelayCounts {
            /// Prometheus' plain text.
            #[must_use]
            pub fn page(&self) -> String {
                let mut page = String::new();
                $(
                    let suffix = if $kind == "counter" { "_total" } else { "" };
                    let name = concat!("styx_", stringify!($name));
                    let n = self.$name.load(Ordering::Relaxed);
                    let _written = writeln!(page, "# HELP {name}{suffix} {}\n# TYPE {name}{suffix} {}\n{name}{suffix} {n}", $about, $kind);
                )*
                page
            }
        }
    };
}

counts! {
    connections "gauge" "Golems that are connected.",
    admitted "counter" "Golems that were let in.",
    turned_away "counter" "Connections that were not let in.",
    frames "counter" "Frames that came in.",
    malformed "counter" "Frames that were none.",
    kept "counter" "Deltas that were kept.",
    known "counter" "Deltas that were known already.",
    refused "counter" "Deltas that were refused.",
    commits "counter" "Transactions that kept deltas.",
    sent "counter" "Deltas that were sent to siblings in their turn.",
    urgent "counter" "Deltas that were sent at once, alone.",
    urgent_left "counter" "Urgent deltas that were left to the log, since their golem was slow.",
    slow "counter" "Connections that were cut for not taking what was sent.",
    silent "counter" "Connections that were cut for saying nothing.",
    over_quota "counter" "Connections that were cut for saying too much.",
    requests "counter" "Requests over HTTP.",
    store_faults "counter" "Times that the store failed.",
    swept "counter" "Deltas, marks and archives that time took away.",
}

impl RelayCounts {
    pub(crate) fn one(of: &AtomicU64) {
        of.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn add(of: &AtomicU64, n: usize) {
        of.fetch_add(n as u64, Ordering::Relaxed);
    }
    pub(crate) fn less(of: &AtomicU64) {
        of.fetch_sub(1, Ordering::Relaxed);
    }
}
