//! What must hold when machine, clock, disk or owner misbehave, through the real binary.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit;

use kit::Home;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(pid: u32, name: &str) {
    let done = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_second_process_is_refused_before_it_touches_anything() {
    let home = Home::new();
    home.create("single", 1, &[]);
    let mut first = home.start(&["golem", "run", "single", "--speed", "x400"]);
    wait_for("the first turn", || home.bardo(&["golem", "status", "single"]).code == 0);
    let second = home.bardo(&["golem", "run", "single", "--speed", "max", "--ticks", "5"]);
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.err.contains("already running as process"), "{second:?}");
    signal(first.id(), "TERM");
    assert!(first.wait().unwrap().success(), "SIGTERM is a clean stop");
    assert_eq!(home.json(&["golem", "verify", "single"])["ok"], true);
}

#[test]
fn whoever_slept_through_a_takeover_is_fenced() {
    let home = Home::new();
    let dir = home.create("fenced", 2, &[]);
    let sleeper = home
        .command(&["golem", "run", "fenced", "--speed", "x400"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("a turn", || home.bardo(&["golem", "status", "fenced"]).code == 0);
    signal(sleeper.id(), "STOP");
    std::fs::remove_file(dir.join("lock")).unwrap();
    home.live("fenced", Some(100));
    let before = home.hash("fenced");
    signal(sleeper.id(), "CONT");
    let output = sleeper.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("superseded"), "{err}");
    assert_eq!(home.hash("fenced"), before, "it wrote nothing");
}

#[test]
fn a_stall_is_one_turn_and_not_a_burst() {
    let home = Home::new();
    home.create("stalled", 3, &[]);
    // Forty seconds of virtual time in 100 ms.
    let mut child = home.start(&["golem", "run", "stalled", "--speed", "x400"]);
    let tick = || home.json(&["golem", "status", "stalled"])["tick"].as_u64().unwrap();
    wait_for("a turn", || home.bardo(&["golem", "status", "stalled"]).code == 0);
    signal(child.id(), "STOP");
    let before = tick();
    std::thread::sleep(Duration::from_secs(3));
    signal(child.id(), "CONT");
    std::thread::sleep(Duration::from_millis(500));
    let after = tick();
    signal(child.id(), "TERM");
    child.wait().unwrap();
    // Three seconds are thirty turns; half a second is five, and the machine may be busy.
    assert!(after - before <= 12, "{} turns after a stall", after - before);
}

#[test]
fn a_foreign_file_is_refused_and_left_alone() {
    let home = Home::new();
    let dir = home.create("foreign", 4, &[]);
    for bytes in [&b"not a database at all, but long enough to be looked at"[..], &[0u8; 8192][..], b""] {
        std::fs::write(dir.join("golem.db"), bytes).unwrap();
        for name in ["golem.db-wal", "golem.db-shm"] {
            let _absent = std::fs::remove_file(dir.join(name));
        }
        for command in [
            &["golem", "run", "foreign", "--ticks", "1", "--speed", "max"][..],
            &["golem", "status", "foreign"],
            &["golem", "verify", "foreign"],
        ] {
            let said = home.bardo(command);
            assert!(said.code == 1 || said.code == 2, "{command:?}: {said:?}");
            assert_eq!(std::fs::read(dir.join("golem.db")).unwrap(), bytes, "{command:?} touched it");
        }
    }
}

#[test]
fn rotten_bytes_in_the_file_are_found() {
    let home = Home::new();
    let dir = home.create("rotten", 5, &[]);
    home.live("rotten", Some(3_000));
    let whole = home.hash("rotten");
    let db = dir.join("golem.db");
    let good = std::fs::read(&db).unwrap();
    let mut noticed = 0;
    for n in 0..kit::count(20, 1_000) {
        let mut bad = good.clone();
        let at = (n * 104_729 + 4_099) % bad.len();
        bad[at] ^= 0x40;
        std::fs::write(&db, &bad).unwrap();
        let said = home.bardo(&["golem", "verify", "rotten", "--json"]);
        // A byte that nothing uses may rot unnoticed; then the life must still be exactly the same.
        if said.code == 0 {
            assert_eq!(said.json()["hash"], whole.as_str(), "byte {at} changed the life unnoticed");
        } else {
            noticed += 1;
        }
        std::fs::write(&db, &good).unwrap();
    }
    assert!(noticed > 0);
    assert_eq!(home.hash("rotten"), whole);
}

#[test]
fn the_wall_clock_changes_nothing() {
    let home = Home::new();
    home.create("timeless", 6, &[]);
    home.live("timeless", Some(400));
    let plain = home.hash("timeless");
    // The same life on a machine whose clock is years off: displayed times at real speed differ, a seeded life does not.
    for clock in ["+10y", "-10y", "+1h"] {
        let other = Home::new();
        other.create("timeless", 6, &[]);
        let Ok(said) = Command::new("faketime")
            .args([
                "-f",
                clock,
                env!("CARGO_BIN_EXE_bardo"),
                "golem",
                "run",
                "timeless",
                "--speed",
                "max",
                "--ticks",
                "400",
                "-q",
            ])
            .env("BARDO_HOME", other.path())
            .output()
        else {
            assert!(std::env::var_os("CI").is_none(), "faketime is missing");
            eprintln!("skipped: faketime is missing");
            return;
        };
        assert!(said.status.success(), "{clock}: {}", String::from_utf8_lossy(&said.stderr));
        assert_eq!(other.hash("timeless"), plain, "clock {clock}");
    }
}

#[test]
fn a_symlinked_or_missing_home_says_so() {
    let home = Home::new();
    let dir = home.create("linked", 7, &[]);
    let real = home.path().join("elsewhere");
    std::fs::rename(&dir, &real).unwrap();
    std::os::unix::fs::symlink(&real, &dir).unwrap();
    let said = home.bardo(&["golem", "run", "linked", "--ticks", "1", "--speed", "max"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("symbolic link"), "{said:?}");
}

#[test]
fn an_older_file_put_back_is_noticed() {
    let home = Home::new();
    let dir = home.create("rolled", 8, &[]);
    home.live("rolled", Some(500));
    let old = std::fs::read(dir.join("golem.db")).unwrap();
    home.live("rolled", Some(500));
    std::fs::write(dir.join("golem.db"), old).unwrap();
    let said = home.bardo(&["golem", "run", "rolled", "--ticks", "1", "--speed", "max"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("older than the life"), "{said:?}");
}

#[test]
fn a_snapshot_brings_a_ruined_golem_back() {
    let home = Home::new();
    // A poor golem is insured when it becomes Terminal, whatever the clock on the wall says.
    let (twin, dir) = (Home::new(), home.create("insured", 11, &["--budget", "2"]));
    twin.create("insured", 11, &["--budget", "2"]);
    twin.live("insured", None);
    let whole = twin.hash("insured");
    // It is ruined in its vigil: of the dead nothing would be brought back.
    let phase = || home.json(&["golem", "status", "insured"])["phase"].as_str().unwrap_or_default().to_owned();
    home.live("insured", Some(10));
    while phase() != "terminal" {
        home.live("insured", Some(40));
    }
    let list = home.json(&["golem", "restore", "insured", "--list"]);
    assert!(!list.as_array().unwrap().is_empty(), "{list:#}");
    let db = dir.join("golem.db");
    let mut bytes = std::fs::read(&db).unwrap();
    let middle = bytes.len() / 2;
    bytes[..middle].fill(0xAA);
    std::fs::write(&db, bytes).unwrap();
    let doctor = home.bardo(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("DAMAGED") && doctor.out.contains("golem restore"), "{doctor:?}");
    home.ok(&["golem", "restore", "insured"]);
    home.live("insured", None);
    assert_eq!(home.hash("insured"), whole, "it lives its last turns again, as they were");
}

#[test]
fn changed_settings_are_refused() {
    let home = Home::new();
    let dir = home.create("cheat", 3, &[]);
    home.live("cheat", Some(10));
    let conn = rusqlite::Connection::open(dir.join("golem.db")).unwrap();
    let sql =
        "UPDATE meta SET value = replace(value, 'immortal = false', 'immortal = true') WHERE key = 'settings_resolved'";
    assert_eq!(conn.execute(sql, []).unwrap(), 1);
    for command in [&["golem", "run", "cheat", "--speed", "max", "--ticks", "1"][..], &["golem", "verify", "cheat"]] {
        let said = home.bardo(command);
        let told = format!("{}{}", said.out, said.err);
        assert!(said.code != 0 && told.contains("not the ones it was born with"), "{said:?}");
    }
}

#[test]
fn a_lost_or_ended_world_does_not_keep_a_golem_from_dying() {
    let home = Home::new();
    let path = home.path().join("short.csv");
    let rows: String = (0..30u64).map(|n| format!("{},100,101,99,100,5\n", 1_600_000_000 + n * 3_600)).collect();
    std::fs::write(&path, format!("timestamp,open,high,low,close,volume\n{rows}")).unwrap();
    let world = format!("world.path={}", path.display());
    for name in ["ended", "lost", "switched"] {
        home.create(name, 1, &["--set", "world.kind=csv", "--set", &world]);
        assert_eq!(home.live(name, None)["stopped_by"], "the end of recorded history");
    }
    home.ok(&["golem", "kill", "ended", "--yes", "--reason", "the end"]);
    let id = home.json(&["golem", "status", "switched"])["id"].as_str().unwrap().to_owned();
    std::fs::write(home.path().join("golems").join(id).join("kill-switch"), "").unwrap();
    home.live("switched", None);
    std::fs::remove_file(&path).unwrap();
    home.ok(&["golem", "kill", "lost", "--yes", "--reason", "nowhere to go"]);
    for name in ["ended", "lost", "switched"] {
        assert_eq!(home.json(&["golem", "status", name])["standing"], "dead", "{name}");
        assert_eq!(home.json(&["golem", "verify", name])["ok"], true, "{name}");
    }
}

#[test]
fn the_same_golem_twice_in_one_home_is_refused() {
    let home = Home::new();
    let dir = home.create("twin", 13, &[]);
    home.live("twin", Some(20));
    let other = home.path().join("golems").join("0123456789abcdef0123456789abcdef");
    assert!(Command::new("cp").arg("-r").args([&dir, &other]).status().unwrap().success());
    for command in [
        &["golem", "run", "0123456789abcdef", "--speed", "max", "--ticks", "1"][..],
        &["golem", "feed", "0123456789abcdef", "--usdc", "1"],
        &["golem", "kill", "0123456789abcdef", "--yes", "--reason", "enough"],
    ] {
        let said = home.bardo(command);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("lives in this home already"), "{said:?}");
    }
    let doctor = home.bardo(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("lives in this home already"), "{doctor:?}");
    std::fs::remove_dir_all(other).unwrap();
    home.live("twin", Some(1));
}

#[test]
fn killed_ten_times_at_its_start_it_shows_safe_mode() {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return;
    }
    let home = Home::new();
    home.create("looping", 14, &[]);
    home.live("looping", Some(50));
    for _ in 0..10 {
        // The start is on record, the first turn is not.
        let killed = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"])
            .args(["-e", "inject=fdatasync:signal=SIGKILL:when=1", env!("CARGO_BIN_EXE_bardo")])
            .args(["golem", "run", "looping", "--speed", "max", "--ticks", "1"])
            .env("BARDO_HOME", home.path())
            .output()
            .unwrap();
        assert!(!killed.status.success());
    }
    let mut child = home.start(&["golem", "run", "looping", "--speed", "x400"]);
    wait_for("safe mode", || home.json(&["golem", "status", "looping"])["safe_mode"] == true);
    assert!(home.ok(&["golem", "status", "looping"]).out.contains("safe mode"));
    assert!(home.ok(&["golem", "list"]).out.contains(", safe"));
    assert!(home.bardo(&["doctor"]).out.contains("safe mode after"));
    signal(child.id(), "TERM");
    assert!(child.wait().unwrap().success());
    assert_eq!(home.json(&["golem", "status", "looping"])["safe_mode"], false, "a clean stop ends it");
    assert_eq!(home.json(&["golem", "verify", "looping"])["ok"], true);
}

/// The processor time that a process has had.
fn spent(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(')').next().unwrap().split_whitespace();
    Duration::from_millis(10 * after_name.skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum::<u64>())
}

#[test]
fn a_fleet_that_is_restarted_again_and_again_gets_on() {
    let home = Home::new();
    let golems = kit::count(24, 200);
    for n in 0..golems {
        home.create(&format!("g{n}"), n as u64, &["--set", "fleet.hears=false"]);
    }
    let ticks = || -> Vec<u64> {
        home.json(&["golem", "list"]).as_array().unwrap().iter().map(|g| g["tick"].as_u64().unwrap()).collect()
    };
    let mut before = ticks();
    // Three times, or, where a processor is so slow that not all of them are opened in that time, until everybody has had a turn: those that
    // slept longest go first, so that six times are enough for anybody.
    for round in 0..6 {
        if round >= 3 && before.iter().all(|tick| *tick > 0) {
            break;
        }
        let mut child = home.start(&["golem", "run", "--all", "--speed", "max"]);
        // Processor time and not time: a machine that does something else meanwhile is no excuse and no reason.
        wait_for("it ran", || spent(child.id()) > Duration::from_secs(if kit::long() { 5 } else { 2 }));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = ticks();
        let moved = before.iter().zip(&after).filter(|(b, a)| a > b).count();
        assert!(moved >= golems / 4, "only {moved} of {golems} reached the disk");
        before = after;
    }
    assert!(before.iter().all(|tick| *tick > 0), "{before:?}: somebody never lived");
}

#[test]
fn directories_last_once_something_lies_in_them() {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return;
    }
    let home = Home::new();
    let (passphrase, log) = (home.path().join("passphrase"), home.path().join("strace.log"));
    std::fs::write(&passphrase, "open sesame\n").unwrap();
    std::fs::set_permissions(&passphrase, std::fs::Permissions::from_mode(0o600)).unwrap();
    let passphrase = passphrase.to_str().unwrap();
    for (root, words, least) in [
        ("new/home", &["golem", "create", "deep", "--seed", "1"][..], 4),
        // Its address is shown, and money sent there.
        ("other/home", &["wallet", "new", "main", "--passphrase-file", passphrase], 3),
    ] {
        let status = Command::new("strace")
            .args(["-f", "-qq", "-y", "-o"])
            .arg(&log)
            .args(["-e", "trace=mkdir,fsync", env!("CARGO_BIN_EXE_bardo")])
            .args(words)
            .env("BARDO_HOME", home.path().join(root))
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{words:?}");
        let calls = std::fs::read_to_string(&log).unwrap();
        let lines: Vec<&str> = calls.lines().collect();
        let mut made = 0;
        for (n, line) in lines.iter().enumerate().filter(|(_, l)| l.contains("mkdir(") && l.ends_with("= 0")) {
            let path = line.split('"').nth(1).unwrap();
            let above = std::path::Path::new(path).parent().unwrap().display().to_string();
            let synced = lines[n..].iter().any(|l| l.contains("fsync(") && l.contains(&format!("<{above}>")));
            assert!(synced, "{above} was not synced after {path} was made in it");
            made += 1;
        }
        assert!(made >= least, "{words:?}: {calls}");
    }
}

/// Whatever is read of a golem before it runs, a disk that fails under it is told: by one golem alone and by several.
#[test]
fn a_read_that_fails_before_a_run_is_told() {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return;
    }
    let home = Home::new();
    let path = home.path().join("short.csv");
    let rows: String = (0..30u64).map(|n| format!("{},100,101,99,100,5\n", 1_600_000_000 + n * 3_600)).collect();
    std::fs::write(&path, format!("timestamp,open,high,low,close,volume\n{rows}")).unwrap();
    let world = format!("world.path={}", path.display());
    let made = ["a", "b"].map(|name| home.create(name, 1, &["--set", "world.kind=csv", "--set", &world]));
    for name in ["a", "b"] {
        home.live(name, None);
    }
    let db = made[0].join("golem.db");
    for who in [&["a"][..], &["a", "b"]] {
        // The first looks: at how it stands and at its settings, and those of whoever carries its letters.
        for when in 1..=20 {
            let log = home.path().join("strace.log");
            let run = [&["golem", "run"], who, &["--speed", "max", "--quiet"]].concat();
            let output = Command::new("strace")
                .args(["-f", "-qq", "-o"])
                .arg(&log)
                .args(["-P", db.to_str().unwrap(), "-e", "trace=pread64"])
                .args(["-e", &format!("inject=pread64:error=EIO:when={when}")])
                .arg(env!("CARGO_BIN_EXE_bardo"))
                .args(run)
                .env("BARDO_HOME", home.path())
                .stdin(Stdio::null())
                .output()
                .expect("strace starts");
            let hit = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).contains("INJECTED");
            assert!(hit, "there is no read {when} of {who:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() != Some(0) || !said.is_empty(), "in silence: read {when} of {who:?}");
        }
    }
}
