//! A recorded life can be lived again, and whoever changes one byte of it is found out.

use crate::kit;

use kit::{Home, count};

#[test]
fn seeded_lives_replay_to_the_same_chain() {
    let home = Home::new();
    for seed in 0..count(6, 200) as u64 {
        let name = format!("life-{seed}");
        home.create(&name, seed, &["--budget", if seed % 3 == 0 { "5" } else { "50" }]);
        let lived = home.live(&name, Some(if kit::long() { 200_000 } else { 12_000 }));
        let report = home.json(&["golem", "replay", &name]);
        assert_eq!(report["ok"], true, "seed {seed}: {report:#}");
        assert_eq!(report["head"], lived["hash"], "seed {seed}");
        assert_eq!(report["ticks"], lived["tick"], "seed {seed}");
        if kit::long() {
            std::fs::remove_dir_all(home.path().join("golems")).unwrap();
        }
    }
}

#[test]
fn a_flipped_byte_names_its_tick() {
    let home = Home::new();
    let dir = home.create("tampered", 4, &["--set", "mind.trading=false"]);
    home.live("tampered", Some(600));
    let db = dir.join("golem.db");
    let conn = rusqlite_open(&db);
    let segments: Vec<(i64, i64, i64, Vec<u8>)> = {
        let mut rows =
            conn.prepare("SELECT rowid, first_tick, last_tick, frames FROM journal ORDER BY first_tick").unwrap();
        let rows = rows.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let total: usize = segments.iter().map(|s| s.3.len()).sum();
    for n in 0..count(12, 200) {
        let mut at = (n * 7_919 + 13) % total;
        let (rowid, first, last, frames) = segments
            .iter()
            .find(|s| {
                let here = at < s.3.len();
                if !here {
                    at -= s.3.len();
                }
                here
            })
            .unwrap();
        let mut bad = frames.clone();
        bad[at] ^= 1 << (n % 8);
        conn.execute("UPDATE journal SET frames = ?1 WHERE rowid = ?2", (&bad, rowid)).unwrap();
        let (whole, lost) = (plain(frames), lost(frames, &bad));
        for command in ["verify", "replay"] {
            let said = home.bardo(&["golem", command, "tampered", "--json"]);
            let Some(lost) = lost else {
                // A bit of the packing that says nothing: the same turns come out.
                assert_eq!(said.code, 0, "byte {at}: {said:?}");
                continue;
            };
            assert_eq!(said.code, 1, "byte {at}: {said:?}");
            let found = &said.json()["first_difference"];
            let tick = first + turn_of(&whole, lost);
            assert_eq!(found["tick"].as_i64(), Some(tick), "{command}: byte {at} of {first} to {last}: {found}");
            let range = format!("(a packed segment of turns {first} to {last})");
            let what = found["what"].as_str().unwrap();
            assert_eq!(what.ends_with(&range), bad[0] == 0, "{command}: {what}");
        }
        conn.execute("UPDATE journal SET frames = ?1 WHERE rowid = ?2", (frames, rowid)).unwrap();
    }
    assert_eq!(home.json(&["golem", "verify", "tampered"])["ok"], true, "put back, it is whole again");
}

/// The frames of a segment: as they are, or unpacked.
fn plain(stored: &[u8]) -> Vec<u8> {
    match stored {
        [0, _, _, _, _, packed @ ..] => unpacked(packed),
        _ => stored.to_vec(),
    }
}

/// What comes out of packed bytes before the first that cannot be used.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let (mut inflate, mut out) = (flate2::Decompress::new(false), Vec::new());
    for byte in packed.chunks(1) {
        out.reserve(2_000);
        let read = inflate.decompress_vec(byte, &mut out, flate2::FlushDecompress::None);
        if !matches!(read, Ok(flate2::Status::Ok | flate2::Status::BufError)) {
            break;
        }
    }
    out
}

/// The first byte of a segment's frames that is not there any more as it was; none when all of them are.
fn lost(stored: &[u8], bad: &[u8]) -> Option<usize> {
    let (was, is) = (plain(stored), plain(bad));
    let same = was.iter().zip(&is).take_while(|(a, b)| a == b).count();
    // A length before packing that is another one spoils no turn, and is noticed at the last.
    let whole = same == was.len() && stored[..5] == bad[..5];
    (!whole).then_some(same.min(was.len() - 1))
}

/// The number of the turn that a byte of frames belongs to: a length, so many bytes, eight of a sum.
fn turn_of(frames: &[u8], byte: usize) -> i64 {
    let (mut at, mut turn) = (0, 0);
    loop {
        let (mut length, mut shift) = (0, 0);
        loop {
            length |= usize::from(frames[at] & 0x7f) << shift;
            at += 1;
            shift += 7;
            if frames[at - 1] & 0x80 == 0 {
                break;
            }
        }
        at += length + 8;
        if byte < at {
            return turn;
        }
        turn += 1;
    }
}

fn rusqlite_open(path: &std::path::Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

#[test]
fn two_lives_are_compared_turn_by_turn() {
    let home = Home::new();
    home.create("a", 1, &[]);
    home.create("b", 2, &[]);
    home.live("a", Some(50));
    home.live("b", Some(50));
    let said = home.bardo(&["golem", "replay", "a", "--diff", "b", "--json"]);
    assert_eq!((said.code, said.json()["ok"].as_bool()), (1, Some(false)), "{said:?}");
    let same = home.bardo(&["golem", "replay", "a", "--diff", "a", "--json"]);
    assert_eq!((same.code, same.json()["ok"].as_bool()), (0, Some(true)));
    let part = home.json(&["golem", "replay", "a", "--until", "20"]);
    assert_eq!(part["ticks"], 20);
}

#[test]
fn a_changed_fact_is_found() {
    let home = Home::new();
    let dir = home.create("rewritten", 9, &[]);
    home.live("rewritten", Some(3_000));
    let conn = rusqlite_open(&dir.join("golem.db"));
    let changed = conn
        .execute("UPDATE facts SET body = replace(body, '50000000', '90000000') WHERE name = 'life.born'", [])
        .unwrap();
    assert_eq!(changed, 1);
    let said = home.bardo(&["golem", "replay", "rewritten", "--json"]);
    assert_eq!((said.code, said.json()["first_difference"]["tick"].as_i64()), (1, Some(1)), "{said:?}");
}
