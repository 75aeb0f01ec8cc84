//! How fast things are found, and how many of them: `cargo bench -p golem-grimoire --bench recall`.
//!
//! Prints the median, the 99th of a hundred and the recall against an exact scan, for 100,000 vectors of width 384 (noise
//! around middles, as embeddings are) and 100,000 texts by the bundled embedder. `BARDO_BENCH_OUT=DIR` also writes the
//! vectors and what was found there, so that `tools/compare` asks other stores the same questions and judges all alike.
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]
#![allow(missing_docs)]

use golem_core::VirtualTime;
use golem_core::door::{Embedding, rounded};
use golem_core::observed::{Field, Snapshot};
use golem_grimoire::embed::{Embedder, StaticEmbedder};
use golem_grimoire::retrieval::unicode61::any_of;
use golem_grimoire::retrieval::{EpisodeQuery, Episodes, Found, VectorIndex, Words};
use golem_grimoire::situation::Normaliser;
use golem_grimoire::{EpisodeId, Situation};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

const ROWS: usize = 100_000;
const QUERIES: usize = 200;
const TOP: usize = 10;

struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
    /// Bell-shaped, near enough.
    fn bell(&mut self) -> f32 {
        (0..4).map(|_| (self.next() >> 40) as f32 / 8_388_608.0 - 1.0).sum::<f32>() * 0.87
    }
}

fn unit(v: Vec<f32>) -> Vec<f32> {
    let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
    v.into_iter().map(|x| x / norm).collect()
}

fn clustered(noise: &mut Noise, n: usize, middles: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let one = |noise: &mut Noise| {
        let at = noise.below(middles.len());
        unit(middles[at].iter().map(|m| m + 0.8 * noise.bell()).collect())
    };
    (0..n).map(|_| one(noise)).collect()
}

/// A sentence that a golem might write; hardly any comes twice.
fn sentence(noise: &mut Noise) -> String {
    const PARTS: [&[&str]; 6] = [
        &["Bought", "Sold", "Added liquidity", "Removed liquidity", "Rebalanced", "Held", "Collected fees", "Waited"],
        &[
            "while gas was high",
            "after a sharp fall",
            "in a calm market",
            "during a rally",
            "as volume dried up",
            "before the weekend",
            "when the range was left",
            "with fees above normal",
            "against the forecast",
        ],
        &["and lost", "and gained", "and broke even", "and was surprised", "as expected", "too late", "too early"],
        &[
            "because the trend turned",
            "because a whale sold",
            "because gas spiked",
            "because the pool was thin",
            "because the peg slipped",
            "for no known reason",
            "since volatility doubled",
            "since the oracle was stale",
        ],
        &["so be smaller", "so wait longer", "so widen the range", "so take profit", "so do nothing", "so act faster"],
        &["trade", "position", "slippage", "drawdown", "exposure", "yield", "price", "return", "spread", "liquidity"],
    ];
    let mut out = String::new();
    for part in PARTS {
        out.push_str(part[noise.below(part.len())]);
        out.push(' ');
    }
    out + &noise.below(10_000).to_string()
}

/// What questions took, in milliseconds: median and 99th of a hundred by the clock on the wall, and the mean on the
/// processor, which others on the same machine disturb less.
struct Times {
    p50: f64,
    p99: f64,
    processor: Option<f64>,
}

/// Milliseconds that this thread has been on a processor, where the system says so.
fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanos| nanos / 1e6)
}

fn time(mut ask: impl FnMut(usize)) -> Times {
    (0..5).for_each(&mut ask);
    let before = on_processor();
    let mut all: Vec<f64> = (0..QUERIES)
        .map(|i| {
            let began = Instant::now();
            ask(i);
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    let processor = before.zip(on_processor()).map(|(before, after)| (after - before) / QUERIES as f64);
    all.sort_by(f64::total_cmp);
    Times { p50: all[QUERIES / 2], p99: all[QUERIES * 99 / 100], processor }
}

fn show(name: &str, times: Times, recall: Option<f64>) {
    let recall = recall.map_or_else(String::new, |r| format!("{r:.4}"));
    let processor = times.processor.map_or_else(String::new, |ms| format!("{ms:.3}"));
    println!("{name:76} {:9.3} {:9.3} {processor:>9}  {recall}", times.p50, times.p99);
}

fn exact_scan(vectors: &[Vec<f32>], query: &[f32]) -> Vec<u32> {
    let mut all: Vec<(f32, u32)> =
        (0..).zip(vectors).map(|(i, v)| (v.iter().zip(query).map(|(a, b)| a * b).sum(), i)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(TOP).map(|(_, i)| i).collect()
}

/// The share of the truly nearest that was found.
fn recall(found: &[Vec<u32>], truth: &[Vec<u32>]) -> f64 {
    let right = |(found, truth): (&Vec<u32>, &Vec<u32>)| found.iter().filter(|key| truth.contains(key)).count();
    found.iter().zip(truth).map(right).sum::<usize>() as f64 / (truth.len() * TOP) as f64
}

/// Where figures are left for others to read.
struct Out(Option<PathBuf>);

impl Out {
    fn write(&self, name: &str, bytes: impl FnOnce() -> Vec<u8>) {
        if let Some(dir) = &self.0 {
            std::fs::write(dir.join(name), bytes()).expect("the folder can be written");
        }
    }
    fn vectors(&self, name: &str, vectors: &[Vec<f32>]) {
        self.write(name, || vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect());
    }
    fn figures(&self, name: &str, times: &Times, found: &[Vec<u32>]) {
        let Times { p50, p99, processor } = times;
        let figures = serde_json::json!({"p50": p50, "p99": p99, "processor": processor, "found": found});
        self.write(name, || figures.to_string().into_bytes());
    }
}

type Ask<'a> = &'a dyn Fn(usize) -> Vec<Found<u32>>;

fn all_found(ask: Ask<'_>) -> Vec<Vec<u32>> {
    (0..QUERIES).map(|i| ask(i).iter().map(|found| found.key).collect()).collect()
}

fn vectors(name: &str, vectors: &[Vec<f32>], queries: &[Vec<f32>], out: &Out) {
    let width = vectors[0].len();
    out.vectors(&format!("vectors-{width}.f32"), vectors);
    out.vectors(&format!("queries-{width}.f32"), queries);
    let rows: Vec<Embedding> = vectors.iter().map(|v| rounded("", v)).collect();
    let asked: Vec<Embedding> = queries.iter().map(|q| rounded("", q)).collect();
    let mut index = VectorIndex::new(width);
    let began = Instant::now();
    index.reserve(ROWS);
    (0u32..).zip(&rows).for_each(|(key, row)| assert!(index.add(key, row)));
    let load = began.elapsed().as_secs_f64() * 1e3;

    let ours: Ask<'_> = &|i| index.nearest(&asked[i], TOP, |_| true);
    let truth: Vec<_> = queries.iter().map(|q| exact_scan(vectors, q)).collect();
    let times = time(|i| drop(black_box(ours(i))));
    let found = all_found(ours);
    out.figures(&format!("ours-{width}.json"), &times, &found);
    show(&format!("{name}: int8 rows, best 40 again by stored rows"), times, Some(recall(&found, &truth)));
    let times = time(|i| drop(black_box(exact_scan(vectors, &queries[i % 20]))));
    show(&format!("{name}: plain exact scan"), times, Some(1.0));

    println!("{name}: loaded in {load:.0} ms");
}

fn fts5(texts: &[String], queries: &[String], out: &Out) {
    let file = rusqlite::Connection::open_in_memory().expect("memory");
    file.execute_batch("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 1'); BEGIN")
        .expect("fts5");
    for text in texts {
        file.prepare_cached("INSERT INTO t(x) VALUES (?1)").expect("sql").execute([text]).expect("insert");
    }
    file.execute_batch("COMMIT").expect("commit");
    let mut found = file.prepare("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 10").expect("sql");
    let times = time(|i| {
        let rows = found.query_map([any_of(&queries[i])], |row| row.get::<_, i64>(0)).expect("query");
        black_box(rows.count());
    });
    out.figures("fts5.json", &times, &[]);
    show("100,000 texts: FTS5 alone, any of the words, in memory", times, None);
}

fn rest(embedder: &StaticEmbedder, texts: &[String], rows: &[Embedding], queries: &[String], noise: &mut Noise) {
    let mut words = Words::default();
    (0u32..).zip(&texts[..5_000]).for_each(|(key, text)| words.add(key, text));
    show("5,000 texts: words in memory", time(|i| drop(black_box(words.search(&queries[i], 20, |_| true)))), None);

    let mut situations: Vec<Situation> = Vec::new();
    situations.resize_with(ROWS, || Situation(std::array::from_fn(|_| noise.bell())));
    let mut episodes = Episodes::default();
    let began = Instant::now();
    for ((id, here), row) in (1..).zip(&situations).zip(rows) {
        episodes.add(EpisodeId(id), VirtualTime(id), here, Some(row));
    }
    let load = began.elapsed().as_secs_f64() * 1e3;
    let late = VirtualTime(u64::MAX);
    show("100,000 situations: most similar", time(|i| drop(black_box(episodes.like(&situations[i], late, TOP)))), None);
    let asked: Vec<_> = queries.iter().map(|q| embedder.embed(q)).collect();
    let times = time(|i| {
        let query = EpisodeQuery {
            as_of: late,
            situation: Some(situations[i]),
            embedding: Some(&asked[i]),
            ..EpisodeQuery::default()
        };
        black_box(episodes.recall(&query, TOP));
    });
    show(&format!("100,000 episodes: both, fused (loaded in {load:.0} ms)"), times, None);

    let began = Instant::now();
    texts[..20_000].iter().for_each(|text| drop(black_box(embedder.embed(text))));
    let each = began.elapsed().as_secs_f64() / 20_000.0 * 1e6;
    let length: usize = texts[..20_000].iter().map(String::len).sum::<usize>() / 20_000;
    println!("{:76} {each:9.2} microseconds a text of {length} characters", "bundled embedder");

    let mut normaliser = Normaliser::default();
    let mut seen = Snapshot::new();
    let numbers = [
        Field::MarketReturn15,
        Field::MarketReturn90,
        Field::MarketVolatility,
        Field::MarketGasRatio,
        Field::MarketFeeYieldRatio,
        Field::MarketVolumeRatio,
        Field::ForecastReturn,
        Field::GolemSurprise,
    ];
    let began = Instant::now();
    for i in 0..100_000 {
        for field in numbers {
            seen.set_number(field, 1.0 + f64::from(i % 13) * 0.01).expect("a number");
        }
        normaliser.observe(&seen);
    }
    let observe = began.elapsed().as_secs_f64() / 1e5 * 1e6;
    let began = Instant::now();
    (0..100_000).for_each(|_| {
        black_box(normaliser.situation(black_box(&seen), None));
    });
    let place = began.elapsed().as_secs_f64() / 1e5 * 1e6;
    println!("{:76} {observe:9.3} microseconds to learn, {place:.3} to place", "situation");
}

fn main() {
    let mut noise = Noise(0x5eed);
    println!("{:76} {:>9} {:>9} {:>9}  recall", "milliseconds", "p50", "p99", "processor");
    let middles: Vec<Vec<f32>> = (0..500).map(|_| (0..384).map(|_| noise.bell()).collect()).collect();
    let wide = clustered(&mut noise, ROWS, &middles);
    let asked = clustered(&mut noise, QUERIES, &middles);
    let out = Out(std::env::var_os("BARDO_BENCH_OUT").map(PathBuf::from));
    vectors("100,000 x 384", &wide, &asked, &out);
    drop(wide);

    let embedder = StaticEmbedder::bundled();
    let texts: Vec<String> = (0..ROWS).map(|_| sentence(&mut noise)).collect();
    let queries: Vec<String> = (0..QUERIES).map(|_| sentence(&mut noise)).collect();
    let of_texts = |all: &[String]| all.iter().map(|t| unit(embedder.sum(t))).collect::<Vec<_>>();
    let (narrow, asked) = (of_texts(&texts), of_texts(&queries));
    vectors(&format!("100,000 texts x {}", embedder.width()), &narrow, &asked, &out);
    let rows: Vec<Embedding> = narrow.iter().map(|v| rounded(embedder.id(), v)).collect();
    drop(narrow);
    fts5(&texts, &queries, &out);
    rest(&embedder, &texts, &rows, &queries, &mut noise);
}
