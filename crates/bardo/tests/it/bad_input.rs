//! Bad input and a bad world: odd bytes, a full disk, a home that cannot be written to, a port that is taken, nobody to
//! ask, pages that nobody can read. Each is told with a hint, and changes nothing.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::kit::{Home, Said};
use serde_json::Value;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

fn is_told(said: &Said) {
    assert!(!said.err.contains("panicked") && said.code != 70 && said.code != 101, "{said:?}");
    assert!(said.code == 0 || said.err.contains("hint: ") || said.err.contains("--help"), "no hint: {said:?}");
    assert!(said.err.lines().all(|line| line.chars().count() <= 100), "{said:?}");
}

#[test]
fn no_bytes_of_an_argument_make_it_panic() {
    let home = Home::new();
    home.create("ada", 1, &[]);
    let odd: [&[u8]; 8] = [
        b"\xff\xfe",
        b"",
        b"\xc3\x28",
        b"a\x80b",
        b"--\xf0\x28\x8c\xbc",
        b"-\xff",
        "ä\u{202e}".as_bytes(),
        b"\x1b[31m",
    ];
    let places: [&[&str]; 12] = [
        &[],
        &["--json"],
        &["--home"],
        &["golem"],
        &["golem", "create"],
        &["golem", "status"],
        &["golem", "tell", "ada"],
        &["golem", "create", "bob", "--set"],
        &["golem", "run", "ada", "--ticks", "1", "--world"],
        &["grimoire", "search", "ada"],
        &["backtest", "--data"],
        &["config", "show"],
    ];
    for words in places {
        for bytes in odd {
            for json in [false, true] {
                let mut command = home.command(words);
                command.arg(OsString::from_vec(bytes.to_vec())).args(json.then_some("--json"));
                let told = command.output().unwrap();
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let said =
                    Said { code: told.status.code().unwrap_or(-1), out: text(&told.stdout), err: text(&told.stderr) };
                assert!((0..=3).contains(&said.code), "{words:?} {bytes:?}: {said:?}");
                assert!(
                    !said.err.contains("panicked") && !said.err.contains("a bug of ours"),
                    "{words:?} {bytes:?}: {said:?}"
                );
                if json && said.code != 0 && !said.out.is_empty() {
                    assert!(said.json()["error"]["message"].is_string(), "{words:?} {bytes:?}: {said:?}");
                }
            }
        }
    }
    assert_eq!(home.json(&["golem", "list"]).as_array().unwrap().len(), 1, "nothing was created");
}

/// A file system of a few megabytes, gone when dropped.
struct Small(tempfile::TempDir);

impl Small {
    fn mount(megabytes: u32) -> Option<Self> {
        let tmp = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(tmp.path()).status();
        if done.is_ok_and(|s| s.success()) {
            return Some(Self(tmp));
        }
        assert!(std::env::var_os("CI").is_none(), "CI runs as root and can mount; nothing may be skipped there");
        eprintln!("skipped: mounting a small file system needs root");
        None
    }
    fn bardo(&self, args: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bardo"));
        command.args(args).env("BARDO_HOME", self.0.path().join("home")).env("NO_COLOR", "1").stdin(Stdio::null());
        command.output().unwrap().into()
    }
    /// Take all room that is left.
    fn fill(&self) {
        let mut file =
            std::fs::OpenOptions::new().append(true).create(true).open(self.0.path().join("filler")).unwrap();
        for piece in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![1; piece]).is_ok() {}
        }
    }
    fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        assert!(Command::new("mount").args(["-o", &how]).arg(self.0.path()).status().unwrap().success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _gone = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_and_a_home_that_cannot_be_written_to_are_told_with_a_hint() {
    let Some(small) = Small::mount(24) else { return };
    let made = small.bardo(&["golem", "create", "ada", "--seed", "1"]);
    assert_eq!(made.code, 0, "{made:?}");
    let doctor = small.bardo(&["doctor"]);
    assert!(doctor.out.contains("free, writing works"), "{doctor:?}");
    small.fill();
    let said = small.bardo(&["golem", "create", "bob", "--seed", "2"]);
    assert!(said.code == 1 && said.err.contains("hint: make room on the disk"), "{said:?}");
    let doctor = small.bardo(&["doctor"]);
    assert_eq!(doctor.code, 1, "{doctor:?}");
    assert!(doctor.out.contains("writing does NOT work") && doctor.out.contains("make room"), "{doctor:?}");
    assert!(small.bardo(&["doctor", "--json"]).json()["free_bytes"].as_u64().unwrap() < 1 << 20);
    std::fs::remove_file(small.0.path().join("filler")).unwrap();
    assert_eq!(small.bardo(&["golem", "run", "ada", "--speed", "max", "--ticks", "5", "-q"]).code, 0);
    // Read-only.
    small.remount("ro");
    for args in [&["golem", "create", "eve"][..], &["golem", "feed", "ada", "--usdc", "1"], &["wallet", "list"]] {
        let said = small.bardo(args);
        is_told(&said);
        assert!(said.code == 0 || said.err.contains("hint: "), "{args:?}: {said:?}");
    }
    let said = small.bardo(&["golem", "create", "eve"]);
    assert!(said.err.contains("Read-only file system") && said.err.contains("that is writable"), "{said:?}");
    let doctor = small.bardo(&["doctor", "--json"]);
    assert_eq!((doctor.code, &doctor.json()["writable"]), (1, &Value::Bool(false)));
    small.remount("rw");
}

#[test]
fn a_home_that_is_no_place_to_write_to_gets_a_hint() {
    let somewhere = tempfile::tempdir().unwrap();
    let file = somewhere.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    for home in [file.join("home"), "/proc/bardo".into(), "/sys/bardo".into(), "/dev/null".into()] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bardo"));
        let said = Said::from(command.args(["golem", "create", "ada"]).arg("--home").arg(&home).output().unwrap());
        assert!((1..=2).contains(&said.code), "{home:?}: {said:?}");
        is_told(&said);
    }
}

#[test]
fn doctor_says_how_much_room_there_is_and_leaves_nothing_behind() {
    let home = Home::new();
    let told = home.json(&["doctor"]);
    assert!(told["free_bytes"].as_u64().unwrap() > 0 && told["writable"] == true, "{told}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "it has written, and taken it away");
    // A home that is not there yet is not made by looking.
    let nowhere = home.path().join("a/b");
    let said = home.bardo(&["doctor", "--home", nowhere.to_str().unwrap(), "--json"]);
    assert!(said.code == 0 && said.json()["writable"] == true && !nowhere.exists(), "{said:?}");
}

#[test]
fn a_port_that_is_taken_gets_a_hint() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = held.local_addr().unwrap().to_string();
    let home = Home::new();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let said =
        Said::from(home.command(&["chain", "serve", "--listen", &taken]).env("BARDO_HOME", tools).output().unwrap());
    assert!(said.code == 1 && said.err.contains(&taken), "{said:?}");
    assert!(
        said.err.contains("Address already in use") && said.err.contains("hint: somebody listens there"),
        "{said:?}"
    );
}

#[test]
fn where_nobody_can_be_asked_nobody_is_killed() {
    let home = Home::new();
    home.create("ada", 1, &[]);
    home.live("ada", Some(3));
    for input in ["", "ada\n", "yes\n"] {
        let mut child = home.command(&["golem", "kill", "ada", "--reason", "enough"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _closed = child.stdin.take().unwrap().write_all(input.as_bytes());
        let said = Said::from(child.wait_with_output().unwrap());
        assert!(said.code == 2 && said.err.contains("hint: say that you mean it: --yes"), "{input:?}: {said:?}");
    }
    assert_eq!(home.json(&["golem", "status", "ada"])["standing"], "alive");
    assert_eq!(home.live("ada", Some(3))["stopped_by"], "the turns asked for", "no order waits for it either");
    home.ok(&["golem", "kill", "ada", "--reason", "enough", "-y"]);
    assert_eq!(home.json(&["golem", "status", "ada"])["standing"], "dead");
}

#[test]
fn only_the_dead_are_removed_and_what_goes_is_said() {
    let home = Home::new();
    let dir = home.create("ada", 1, &[]);
    home.create("bob", 2, &[]);
    // Newborn, living, and asked without anybody there: each is refused with what to do.
    let refused = |words: &str| {
        let said = home.bardo(&["golem", "remove", "ada", "--yes"]);
        assert!(said.code == 2 && said.err.contains(words) && said.err.contains("hint: "), "{said:?}");
        assert!(dir.join("golem.db").exists());
    };
    refused("ada is alive");
    home.live("ada", Some(10));
    refused("golem kill ada");
    home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
    let said = home.bardo(&["golem", "remove", "ada"]);
    assert!(said.code == 2 && said.err.contains("not removed") && dir.join("golem.db").exists(), "{said:?}");
    let said = home.ok(&["golem", "remove", "ada", "--yes"]);
    assert!(said.err.contains(&dir.display().to_string()) && said.out.contains("ada is gone"), "{said:?}");
    assert!(!dir.exists());
    let left = home.json(&["golem", "list"]);
    assert_eq!((left.as_array().unwrap().len(), left[0]["name"].as_str()), (1, Some("bob")));
    assert_eq!(home.bardo(&["golem", "remove", "ada", "--yes"]).code, 2);
    home.create("ada", 3, &[]);
}

#[test]
fn a_page_that_nobody_can_read_is_never_overwritten() {
    type Spoil<'a> = &'a dyn Fn(&Path);
    let long = vec![b'#'; 300 << 10];
    let cases: [(&str, Spoil<'_>); 5] = [
        ("no text", &|page| std::fs::write(page, b"# mine \xff\xfe\n").unwrap()),
        ("too long", &|page| std::fs::write(page, &long).unwrap()),
        ("a directory", &|page| std::fs::create_dir(page).unwrap()),
        ("a link to itself", &|page| symlink(page, page).unwrap()),
        ("a link to nowhere", &|page| symlink("/nowhere/at/all", page).unwrap()),
    ];
    let home = Home::new();
    let dir = home.create("ada", 5, &["--set", "mortality.immortal=true"]);
    home.live("ada", Some(20));
    // With a rule it has a page to write, at every start anew.
    let page = dir.join("PLAYBOOK.md");
    let rule = "\n## Be careful\n\n- when: `market.gas_ratio > 3.0`\n- do: risk 0.5\n- because: I say so\n";
    std::fs::write(&page, home.ok(&["playbook", "show", "ada"]).out + rule).unwrap();
    home.live("ada", Some(20));
    let kept = std::fs::read_to_string(&page).unwrap();
    assert!(kept.contains("Be careful"), "{kept}");
    std::fs::remove_file(&page).unwrap();
    for (what, make) in cases {
        make(&page);
        let before = std::fs::symlink_metadata(&page).unwrap();
        let bytes = std::fs::read(&page).ok();
        home.live("ada", Some(20));
        let after = std::fs::symlink_metadata(&page).unwrap();
        assert_eq!(
            (before.file_type(), before.len(), bytes),
            (after.file_type(), after.len(), std::fs::read(&page).ok()),
            "{what}"
        );
        if what != "too long" {
            let said = home.bardo(&["playbook", "lint", "ada"]);
            assert!(said.code == 2 && said.err.contains("the golem leaves it as it is"), "{what}: {said:?}");
            let doctor = home.bardo(&["doctor"]);
            assert!(doctor.code == 1 && doctor.out.contains("PLAYBOOK.md"), "{what}: {doctor:?}");
        }
        if page.is_dir() { std::fs::remove_dir(&page).unwrap() } else { std::fs::remove_file(&page).unwrap() }
    }
    // With nothing in its way it writes its page again.
    home.live("ada", Some(20));
    assert_eq!(std::fs::read_to_string(&page).unwrap(), kept);
}

#[test]
fn a_second_golem_on_the_embedded_chain_works_by_itself() {
    let home = Home::new();
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let fetched = home.command(&["contracts", "fetch"]).env("BARDO_HOME", &tools).output().unwrap();
    if !fetched.status.success() {
        assert!(std::env::var_os("CI").is_none(), "the contracts are needed here");
        eprintln!("skipped: no contracts");
        return;
    }
    symlink(tools.canonicalize().unwrap().join("contracts"), home.path().join("contracts")).unwrap();
    // Born before the chain is, and after: nobody was told anything about worlds or seeds.
    let born = |name: &str, more: &[&str]| {
        let said = home.ok(&[&["golem", "create", name, "--chain", "embedded"], more].concat());
        home.ok(&["golem", "run", name, "--speed", "max", "--ticks", "30", "-q"]);
        said.out
    };
    home.ok(&["golem", "create", "ada", "--chain", "embedded"]);
    assert!(born("bob", &[]).contains("that of ada, on the same chain"));
    assert!(born("cyd", &["--seed", "9", "--template", "trend-following"]).contains("that of ada"));
    home.ok(&["golem", "run", "ada", "--speed", "max", "--ticks", "30", "-q"]);
    let price = |name: &str| home.json(&["golem", "config", name])["world"].clone();
    assert_eq!((price("ada"), price("ada")), (price("bob"), price("cyd")), "one market for all");
    for name in ["ada", "bob", "cyd"] {
        assert!(home.json(&["golem", "replay", name])["ok"].as_bool().unwrap(), "{name}");
        home.ok(&["golem", "kill", name, "--reason", "enough", "--yes"]);
    }
    // The chain goes with the last golem on it, and not before.
    let chain = home.path().join("chains/home");
    for (name, stays) in [("ada", true), ("bob", true), ("cyd", false)] {
        home.ok(&["golem", "remove", name, "--yes"]);
        assert_eq!(chain.exists(), stays, "after {name}");
    }
    born("dee", &[]);
}
