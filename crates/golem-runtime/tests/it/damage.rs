//! Damage: any byte of the journal that changes is named by its turn, and nothing damaged is ever taken for empty.

use crate::toy::*;
use golem_core::Tick;
use golem_core::door::InProcess;
use golem_life::LifeStanding;
use golem_runtime::*;
use rusqlite::Connection;
use std::path::Path;

fn db(dir: &Path) -> Connection {
    Connection::open(dir.join("golem.db")).unwrap()
}

/// A life of three segments: turns 1 to 4, 5 alone, 6 to 8.
fn small_life(dir: &Path) {
    newborn(dir);
    let nature = Nature { buys_one_in: 2, ..Nature::default() };
    let mut runner = open(dir, &nature, Pace::Max);
    for n in [4, 1, 3] {
        runner.run(turns(n)).unwrap();
    }
    runner.close().unwrap();
}

fn segments(dir: &Path) -> Vec<(i64, i64, Vec<u8>, Vec<u8>)> {
    let conn = db(dir);
    let mut rows = conn.prepare("SELECT first_tick, last_tick, frames, head FROM journal ORDER BY first_tick").unwrap();
    let found = rows.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))).unwrap();
    found.map(Result::unwrap).collect()
}

/// Which turn a byte of a segment belongs to, by lengths read from the undamaged bytes.
fn owner(first: i64, frames: &[u8], byte: usize) -> i64 {
    let (mut at, mut tick) = (0, first);
    loop {
        let (mut length, mut prefix) = (usize::from(frames[at] & 0x7f), 1);
        if frames[at] & 0x80 != 0 {
            length |= usize::from(frames[at + 1]) << 7;
            prefix = 2;
        }
        at += prefix + length + 8;
        if byte < at {
            return tick;
        }
        tick += 1;
    }
}

#[test]
fn every_byte_of_every_frame_is_named() {
    let tmp = tempfile::tempdir().unwrap();
    small_life(tmp.path());
    let all = segments(tmp.path());
    assert_eq!(all.iter().map(|s| (s.0, s.1)).collect::<Vec<_>>(), [(1, 4), (5, 5), (6, 8)]);
    let conn = db(tmp.path());
    let put = |first: i64, frames: &[u8]| {
        conn.execute("UPDATE journal SET frames = ?2 WHERE first_tick = ?1", (first, frames)).unwrap();
    };
    for (first, _, frames, _) in &all {
        for byte in 0..frames.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bad = frames.clone();
                bad[byte] ^= flip;
                put(*first, &bad);
                let report = verify_chain(tmp.path()).unwrap();
                let damage = report.damage.unwrap_or_else(|| panic!("byte {byte} of segment {first} went unnoticed"));
                let tick = owner(*first, frames, byte);
                assert_eq!(damage.tick, Tick(tick as u64), "byte {byte} of segment {first}: {}", damage.what);
                assert_eq!(report.ticks, tick as u64 - 1);
            }
        }
        put(*first, frames);
    }
    assert_eq!(verify_chain(tmp.path()).unwrap().damage, None);
}

/// The first byte of a segment's frames that can no longer be had from its packed bytes; all of them when none is lost.
fn first_lost(plain: &[u8], stored: &[u8]) -> usize {
    let (mut inflate, mut out) = (flate2::Decompress::new(false), Vec::with_capacity(2 * plain.len() + (1 << 16)));
    for byte in &stored[5..] {
        let read = inflate.decompress_vec(std::slice::from_ref(byte), &mut out, flate2::FlushDecompress::None);
        if !matches!(read, Ok(flate2::Status::Ok | flate2::Status::BufError)) || out.len() > plain.len() {
            break;
        }
    }
    plain.iter().zip(&out).take_while(|(was, is)| was == is).count()
}

#[test]
fn of_a_packed_segment_the_first_turn_that_is_lost_is_named_and_the_turns_of_the_segment() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open(tmp.path(), &Nature { buys_one_in: 2, ..Nature::default() }, Pace::Max);
    for n in [3, 60, 2] {
        runner.run(turns(n)).unwrap();
    }
    runner.close().unwrap();
    let (first, last, stored, _) = segments(tmp.path()).remove(1);
    assert_eq!((first, last, stored[0]), (4, 63, 0), "a segment of sixty turns, which is packed");
    let mut plain = Vec::with_capacity(1 << 20);
    flate2::Decompress::new(false).decompress_vec(&stored[5..], &mut plain, flate2::FlushDecompress::Finish).unwrap();
    let conn = db(tmp.path());
    let put = |frames: &[u8]| conn.execute("UPDATE journal SET frames = ?1 WHERE first_tick = 4", [frames]).unwrap();
    let (mut named, mut harmless) = (std::collections::BTreeSet::new(), 0);
    for byte in 0..stored.len() {
        let mut bad = stored.clone();
        bad[byte] ^= 1 << (byte % 8);
        put(&bad);
        let report = verify_chain(tmp.path()).unwrap();
        let lost = if byte == 0 { 0 } else { first_lost(&plain, &bad) };
        let expected = owner(first, &plain, lost.min(plain.len() - 1));
        let Some(damage) = report.damage else {
            // A bit that says nothing: the same frames come out.
            assert_eq!(lost, plain.len(), "byte {byte} went unnoticed");
            harmless += 1;
            continue;
        };
        assert_eq!(damage.tick, Tick(expected as u64), "byte {byte}: {}", damage.what);
        assert_eq!(report.ticks, expected as u64 - 1);
        // Without its mark nobody knows that it was packed.
        assert!(byte == 0 || damage.what.ends_with("(a packed segment of turns 4 to 63)"), "{}", damage.what);
        named.insert(expected);
    }
    put(&stored);
    assert!(harmless * 50 < stored.len() && named.len() > 20, "{harmless} harmless, {named:?} named");
    assert_eq!(verify_chain(tmp.path()).unwrap().damage, None);
}

#[test]
fn heads_ticks_and_missing_segments_are_named() {
    let cases = [
        ("UPDATE journal SET head = zeroblob(32) WHERE first_tick = 1", 4),
        ("UPDATE journal SET head = x'00' WHERE first_tick = 6", 6),
        ("UPDATE journal SET last_tick = 3 WHERE first_tick = 1", 3),
        ("UPDATE journal SET last_tick = 9 WHERE first_tick = 6", 8),
        ("UPDATE journal SET first_tick = 2 WHERE first_tick = 1", 1),
        ("UPDATE journal SET frames = CAST(substr(frames, 1, length(frames) - 1) AS BLOB) WHERE first_tick = 1", 4),
        ("UPDATE journal SET frames = CAST(frames || x'00' AS BLOB) WHERE first_tick = 1", 4),
        ("UPDATE journal SET frames = x'' WHERE first_tick = 5", 5),
        ("DELETE FROM journal WHERE first_tick = 5", 5),
        ("DELETE FROM journal WHERE first_tick = 6", 6),
        ("DELETE FROM journal", 1),
        ("UPDATE tip SET tick = 5", 5),
        ("UPDATE tip SET tick = 9", 9),
        ("UPDATE tip SET head = zeroblob(32)", 8),
        ("DELETE FROM tip", 0),
        ("UPDATE meta SET value = replace(value, 'toy', 'boy') WHERE key = 'birth'", 0),
        ("UPDATE meta SET value = zeroblob(32) WHERE key = 'root'", 0),
        ("UPDATE sealed SET value = zeroblob(32) WHERE name = 'secret'", 0),
    ];
    for (spoil, tick) in cases {
        let tmp = tempfile::tempdir().unwrap();
        small_life(tmp.path());
        db(tmp.path()).execute_batch(spoil).unwrap();
        let damage = verify_chain(tmp.path()).unwrap().damage.unwrap_or_else(|| panic!("{spoil} went unnoticed"));
        assert_eq!(damage.tick, Tick(tick), "{spoil}: {}", damage.what);
        assert!(!health(tmp.path()).unwrap().ok);
    }
}

#[test]
fn a_tip_that_hides_turns_is_noticed() {
    let tmp = tempfile::tempdir().unwrap();
    small_life(tmp.path());
    let head = &segments(tmp.path())[1].3;
    db(tmp.path()).execute("UPDATE tip SET tick = 5, head = ?1", [head]).unwrap();
    assert_eq!(verify_chain(tmp.path()).unwrap().damage.unwrap().tick, Tick(6));
}

#[test]
fn a_standing_that_no_golem_writes_is_damage_and_every_other_is_read() {
    let tmp = tempfile::tempdir().unwrap();
    small_life(tmp.path());
    let written = |word: &str| {
        assert_eq!(db(tmp.path()).execute("UPDATE status SET standing = ?1", [word]).unwrap(), 1);
        Reader::open(tmp.path()).unwrap().status()
    };
    for word in ["asleep", "Alive", "alive ", "undead", ""] {
        let said = written(word).unwrap_err();
        assert!(matches!(said, Error::Damaged { .. }), "{word:?}: {said}");
        assert!(said.to_string().contains("is no standing of a golem"), "{word:?}: {said}");
    }
    for standing in LifeStanding::ALL {
        assert_eq!(written(standing.name()).unwrap().unwrap().standing, standing);
    }
}

#[test]
fn a_changed_fact_is_found_by_replay() {
    let nature = Nature { buys_one_in: 2, ..Nature::default() };
    for spoil in [
        "UPDATE facts SET body = replace(body, '1', '2') WHERE seq = (SELECT max(seq) FROM facts)",
        "DELETE FROM facts WHERE seq = (SELECT max(seq) FROM facts)",
        "INSERT INTO facts SELECT seq + 1, tick, at, name, cause, body FROM facts ORDER BY seq DESC LIMIT 1",
    ] {
        let tmp = tempfile::tempdir().unwrap();
        small_life(tmp.path());
        let conn = db(tmp.path());
        let tick: i64 = conn.query_row("SELECT tick FROM facts ORDER BY seq DESC LIMIT 1", [], |r| r.get(0)).unwrap();
        assert!(replayed(tmp.path(), &nature).ok);
        conn.execute_batch(spoil).unwrap();
        let report = replayed(tmp.path(), &nature);
        assert_eq!(report.first_difference.unwrap().tick, Tick(tick as u64), "{spoil}");
        assert_eq!(verify_chain(tmp.path()).unwrap().damage, None, "facts are not in the chain");
    }
}

#[test]
fn replay_stops_where_it_is_told() {
    let tmp = tempfile::tempdir().unwrap();
    small_life(tmp.path());
    let nature = Nature { buys_one_in: 2, ..Nature::default() };
    let report =
        replay(tmp.path(), Some(Tick(6)), |o| Ok::<Toy, _>(golem_life::Being::born(&nature, &o.secret))).unwrap();
    assert_eq!((report.ok, report.ticks), (true, 6));
}

/// Whatever byte of the file rots: no panic, no endless memory, and a journal that changed is never called whole.
#[test]
fn rot_anywhere_in_the_file() {
    let tmp = tempfile::tempdir().unwrap();
    small_life(tmp.path());
    let healthy = std::fs::read(tmp.path().join("golem.db")).unwrap();
    let whole = verify_chain(tmp.path()).unwrap();
    let mut noticed = 0;
    for n in 0..600u64 {
        let at = golem_core::Dice::open(11, golem_core::Strand::World).bits(n, 0) as usize % healthy.len();
        let copy = tempfile::tempdir().unwrap();
        let mut bytes = healthy.clone();
        bytes[at] ^= 1 << (n % 8);
        std::fs::write(copy.path().join("golem.db"), &bytes).unwrap();
        match verify_chain(copy.path()) {
            Ok(report) if report.damage.is_none() => assert_eq!(report, whole, "byte {at}: a different life"),
            _ => noticed += 1,
        }
        // Opening either works, and then the life is the same, or it is an error.
        if let Ok(store) = Store::open(copy.path(), OpenOptions::default(), NOW) {
            let nature = Nature { buys_one_in: 2, ..Nature::default() };
            if let Ok(runner) = ToyRunner::open(store, &nature, Walk::new(), InProcess(Paper), around(Pace::Max)) {
                assert_eq!(runner.head(), whole.head, "byte {at}");
            }
        }
    }
    assert!(noticed > 10, "only {noticed} of 600 were noticed");
}

#[test]
fn every_bit_of_the_signing_key_is_bound_to_the_birth_record() {
    let tmp = tempfile::tempdir().unwrap();
    small_life(tmp.path());
    let conn = db(tmp.path());
    let key: Vec<u8> = conn.query_row("SELECT value FROM sealed WHERE name = 'signing_key'", [], |r| r.get(0)).unwrap();
    for bit in 0..key.len() * 8 {
        let mut other = key.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        conn.execute("UPDATE sealed SET value = ?1 WHERE name = 'signing_key'", [&other]).unwrap();
        let said = Reader::open(tmp.path()).unwrap().origin().unwrap_err().to_string();
        assert!(said.contains("signing key"), "bit {bit}: {said}");
    }
    let said = Store::open(tmp.path(), OpenOptions::default(), NOW).unwrap_err().to_string();
    assert!(said.contains("signing key"), "{said}");
    assert!(!health(tmp.path()).is_ok_and(|h| h.ok), "the doctor sees it too");
    conn.execute("UPDATE sealed SET value = ?1 WHERE name = 'signing_key'", [&key]).unwrap();
    Store::open(tmp.path(), OpenOptions::default(), NOW).unwrap().close().unwrap();
}
