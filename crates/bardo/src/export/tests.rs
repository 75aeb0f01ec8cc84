//! What is written as columns comes back as the lines that `jsonl` writes, and can be searched by its vectors.

use super::*;
use golem_core::{GolemId, Regime, Timestamp, Usdc, VirtualTime};
use golem_grimoire::standing::Support;
use golem_grimoire::{
    EntryBody, EntryKind, EntryOrigin, EntryStatus, EpisodeId, EpisodeKind, Importance, Situation, Standing, Went,
};

fn vector(model: &str, seed: u64, width: usize) -> Embedding {
    let row = (0..width as u64).map(|i| ((seed + 1).wrapping_mul(i * i + 7) % 251) as u8 as i8 as i16).collect();
    Embedding { model: model.into(), row, scale: 0.0078 }
}

fn episode(n: u64) -> Episode {
    let mut situation = Situation::default();
    situation.0[(n % 24) as usize] = 0.1 + n as f32;
    Episode {
        id: EpisodeId(n),
        tick: Tick(n * 3),
        age: VirtualTime(n * 120_000),
        at: Timestamp(1_700_000_000),
        kind: EpisodeKind::Event,
        situation,
        text: format!("Number {n}: „höher“ \"than\" usual"),
        regime: Regime::default(),
        deed: None,
        surprise: 1.1,
        went: Went::Neutral,
        importance: Importance::Routine,
        cost: Usdc::ZERO,
        affect: None,
    }
}

fn entry(n: u64, prototype: Option<Situation>) -> Entry {
    let origin = EntryOrigin { golem: GolemId([0; 16]), generation: 0 };
    let body = EntryBody {
        is_question: n.is_multiple_of(2),
        tags: vec!["a".into()],
        prototype,
        episodes: vec![EpisodeId(n)],
        ..EntryBody::own(EntryKind::Insight, format!("What {n} says"), origin, VirtualTime(n))
    };
    Entry::new(body, Standing::first(EntryStatus::Active, 6_100, Support::default(), VirtualTime(n)))
}

/// More than one batch of episodes; vectors of two embedders, and rows without any.
fn holdings() -> ExportedMemory {
    let of = |n: u64| match n % 5 {
        0 => None,
        1 => Some(vector("old", n, 4)),
        _ => Some(vector("new", n, 16)),
    };
    let row = |table, key: &str, tick, body: &str| NamedRow { table, key: key.into(), tick, body: body.into() };
    ExportedMemory {
        episodes: (1..5_000).map(|n| (episode(n), Marks::default(), of(n))).collect(),
        entries: (1..40).map(|n| (entry(n, (n % 3 == 0).then(Situation::default)), of(n))).collect(),
        rows: vec![
            row(NamedTable::Edge, "a>b", None, r#"{"weight":0.25,"lag":3}"#),
            row(NamedTable::Goal, "g", Some(Tick(7)), "words that are no JSON"),
        ],
    }
}

fn nothing() -> ExportedMemory {
    ExportedMemory { episodes: Vec::new(), entries: Vec::new(), rows: Vec::new() }
}

/// Everything that was written into a directory, in the order of the tables.
fn written(holdings: &ExportedMemory, format: Format, read: impl Fn(&Path, &str) -> Source) -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("deep").join("out");
    to_path(holdings, format, &dir).unwrap();
    let again = to_path(holdings, format, &dir).unwrap_err();
    assert_eq!(again.code(), 2, "{again}");
    let left: Vec<_> = std::fs::read_dir(dir.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing but the export is left: {left:?}");
    let from_entries = from_path(&dir).unwrap();
    assert_eq!(from_entries.lines.len(), holdings.entries.len());
    assert_eq!(check(&from_entries).entries.len(), holdings.entries.len());
    let mut all = Vec::new();
    for name in ["episodes", "entries", "rows"] {
        let source = read(&dir, name);
        assert!(source.lines.iter().map(|(n, _)| *n).eq(1..=source.lines.len() as u64));
        source.lines.into_iter().for_each(|(_, line)| {
            all.extend(line);
            all.push(b'\n');
        });
    }
    all
}

fn lines(holdings: &ExportedMemory) -> Vec<u8> {
    let mut all = Vec::new();
    to_lines(holdings, &mut all).unwrap();
    all
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_brings_back_every_line() {
    for holdings in [holdings(), nothing()] {
        let read = |dir: &Path, name: &str| parquet::read(&dir.join(format!("{name}.parquet"))).unwrap();
        assert!(written(&holdings, Format::Parquet, read) == lines(&holdings));
    }
}

#[test]
#[cfg(feature = "lance")]
fn lance_brings_back_every_line() {
    for holdings in [holdings(), nothing()] {
        let read = |dir: &Path, name: &str| lance::read(&dir.join(format!("{name}.lance"))).unwrap();
        assert!(written(&holdings, Format::Lance, read) == lines(&holdings));
    }
}

#[test]
fn a_vector_column_holds_one_embedders_vectors_and_no_others() {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;
    let holdings = holdings();
    let tables: Vec<_> = columns::tables(&holdings).collect::<Result<_, _>>().unwrap();
    let entries = &tables[1].batches[0];
    let (names, vectors) = (entries["embedder"].as_string::<i32>(), entries["vector"].as_fixed_size_list());
    for (i, (_, made)) in holdings.entries.iter().enumerate() {
        match made {
            Some(Embedding { model, row, scale }) if model == "new" => {
                assert_eq!(names.value(i), "new");
                let found = vectors.value(i);
                let want = row.iter().map(|x| f32::from(*x) * scale);
                assert!(found.as_primitive::<Float32Type>().values().iter().copied().eq(want));
            }
            _ => assert!(names.is_null(i) && vectors.is_null(i)),
        }
    }
}

#[test]
#[cfg(feature = "lance")]
fn lance_finds_the_nearest_entry() {
    use arrow_array::cast::AsArray;
    let (home, holdings) = (tempfile::tempdir().unwrap(), holdings());
    let dir = home.path().join("out");
    to_path(&holdings, Format::Lance, &dir).unwrap();
    let (wanted, Some(made)) = &holdings.entries[16] else { panic!("it has a vector") };
    let asked: arrow_array::Float32Array = made.row.iter().map(|x| f32::from(*x) * made.scale).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = runtime.block_on(async {
        let set = ::lance::Dataset::open(dir.join("entries.lance").to_str().unwrap()).await.unwrap();
        set.scan().nearest("vector", &asked, 1).unwrap().project(&["id"]).unwrap().try_into_batch().await.unwrap()
    });
    assert_eq!(found["id"].as_string::<i32>().value(0), wanted.id.to_string());
}
