//! Choosing what is passed on out of a large grimoire: `cargo bench -p golem-clade --bench bottleneck`.

use divan::Bencher;
use golem_clade::bottleneck::{BottleneckCandidate, INHERITANCE_BUDGET, compress_for_inheritance};
use golem_clade::knowledge_domain::KnowledgeDomain;
use golem_core::VirtualTime;
use golem_grimoire::EntryId;

fn main() {
    divan::main();
}

/// Entries in so many domains, of all qualities, one in ten with blood on it and one in seven proven by the line.
fn grimoire(entries: u64, domains: u64) -> Vec<BottleneckCandidate> {
    let of = |n: u64| {
        let mixed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut id = [0; 16];
        id[..8].copy_from_slice(&mixed.to_be_bytes());
        BottleneckCandidate {
            id: EntryId(id),
            domain: KnowledgeDomain::named(&format!("gas_condition/market.field_{}", mixed % domains)),
            quality: (mixed >> 40) as f64 / (1 << 24) as f64,
            last_validated: VirtualTime(mixed >> 20),
            is_bloodstain: n.is_multiple_of(10),
            survived: n.is_multiple_of(7),
        }
    };
    (0..entries).map(of).collect()
}

#[divan::bench(args = [(2_000, 6), (20_000, 300), (20_000, 20_000)])]
fn compress(bencher: Bencher<'_, '_>, (entries, domains): (u64, u64)) {
    let all = grimoire(entries, domains);
    bencher.bench_local(|| compress_for_inheritance(&all, INHERITANCE_BUDGET));
}
