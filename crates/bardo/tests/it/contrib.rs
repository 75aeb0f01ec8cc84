//! What keeps golems running on a machine: units that systemd understands, restart rules that fit the exit codes, and an image of one
//! program and nothing else.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::first_hour::root;
use std::collections::BTreeMap;
use std::process::Command;

const UNITS: [&str; 3] = ["bardo.service", "bardo@.service", "bardo-serve.service"];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// What a unit sets: the key and its values, in order.
fn settings(unit: &str) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in read(&format!("contrib/systemd/{unit}")).lines().filter(|line| !line.starts_with(['#', '['])) {
        if let Some((key, value)) = line.split_once('=') {
            all.entry(key.to_owned()).or_default().push(value.to_owned());
        }
    }
    all
}

/// `systemd-analyze`, where there is one; in continuous integration there is.
fn analyze() -> Option<Command> {
    let there = Command::new("systemd-analyze").arg("--version").output().is_ok_and(|out| out.status.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "systemd-analyze is needed here");
        eprintln!("skipped: there is no systemd-analyze");
    }
    there.then(|| Command::new("systemd-analyze"))
}

#[test]
fn systemd_understands_the_units_and_finds_them_closed() {
    let dir = tempfile::tempdir().unwrap();
    for unit in UNITS {
        // The program stands where it was built, and not where people put it.
        let text = read(&format!("contrib/systemd/{unit}"));
        let text = text.replace("/usr/local/bin/bardo", env!("CARGO_BIN_EXE_bardo"));
        let path = dir.path().join(unit);
        std::fs::write(&path, text).unwrap();
        let Some(mut verify) = analyze() else { return };
        let out = verify.args(["verify", "--man=no"]).arg(&path).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && !said.contains(unit), "{unit}: {said}");
        let Some(mut security) = analyze() else { return };
        let out =
            security.args(["security", "--offline=yes", "--no-pager", "--threshold=20"]).arg(&path).output().unwrap();
        assert!(out.status.success(), "{unit}: {}", String::from_utf8_lossy(&out.stdout));
    }
}

#[test]
fn all_units_are_closed_alike() {
    let own = [
        "Description",
        "ExecStart",
        "After",
        "Wants",
        "TimeoutStopSec",
        "EnvironmentFile",
        "IPAddressDeny",
        "IPAddressAllow",
    ];
    let closed = |unit| {
        let mut all = settings(unit);
        all.retain(|key, _| !own.contains(&key.as_str()));
        all
    };
    for unit in UNITS {
        assert_eq!(closed(unit), closed("bardo.service"), "{unit}");
    }
    assert_eq!(settings("bardo-serve.service")["IPAddressDeny"], ["any"]);
}

/// What ends with a code that saying it again does not mend is not said again; what the world may mend is.
#[test]
fn restart_rules_fit_the_exit_codes() {
    let home = crate::kit::Home::new();
    let never = |unit: &str| {
        let set = settings(unit);
        assert_eq!(set["Restart"], ["on-failure"]);
        let codes = set["RestartPreventExitStatus"][0].split(' ').map(|code| code.parse().unwrap());
        codes.collect::<Vec<i32>>()
    };
    for unit in UNITS {
        let codes = never(unit);
        assert_eq!(codes, [2, 3], "{unit}");
        // Something that was said wrong.
        assert!(codes.contains(&home.bardo(&["golem", "run", "nobody"]).code));
        assert!(codes.contains(&home.bardo(&["golem", "run", "--all"]).code));
        // The world's no, bugs and success are not among them.
        assert!([0, 1, 70].iter().all(|code| !codes.contains(code)));
    }
    home.create("alma", 7, &[]);
    home.live("alma", Some(3));
    home.ok(&["golem", "kill", "alma", "--reason", "x", "--yes"]);
    assert_eq!(home.bardo(&["golem", "run", "alma", "--speed", "max"]).code, 0, "a death is no failure");
}

/// A stop is waited for as long as a turn may take.
#[test]
fn a_stop_waits_for_a_turn() {
    let home = crate::kit::Home::new();
    let shown = home.json(&["config", "show", "chain.rpc.turn_budget_ms"]);
    let budget_s = shown[0]["default"].as_u64().unwrap() / 1_000;
    for unit in ["bardo.service", "bardo@.service"] {
        let waits: u64 = settings(unit)["TimeoutStopSec"][0].parse().unwrap();
        assert!(waits > budget_s && waits < 2 * budget_s, "{unit}: {waits} against {budget_s}");
    }
}

#[test]
fn the_image_is_one_program_and_nothing_else() {
    let text = read("contrib/container/Containerfile");
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(lines.first(), Some(&"FROM scratch"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("FROM")).count(), 1);
    assert!(
        !lines.iter().any(|line| line.starts_with("RUN") || line.starts_with("ADD")),
        "nothing runs there but bardo"
    );
    for word in ["USER 65532:65532", "VOLUME /var/lib/bardo", "WORKDIR /var/lib/bardo", "ENV BARDO_HOME=/var/lib/bardo"]
    {
        assert!(lines.contains(&word), "{word} is missing");
    }
    assert!(lines.contains(&r#"ENTRYPOINT ["/bardo"]"#) && lines.contains(&r#"CMD ["golem", "run", "--all"]"#));
    // What it copies is what tools/dist puts there.
    let dist = read("tools/dist");
    for line in lines.iter().filter_map(|line| line.strip_prefix("COPY ")) {
        let from = line.split(' ').find(|word| !word.starts_with("--")).unwrap();
        assert!(dist.contains(&format!("$image/{from}")), "tools/dist makes no {from}");
    }
}

/// What the image holds is all that a life needs, for the user that the file names. The program is linked here, so that what it is linked
/// with stands beside it: the static one is tried in the same way by tools/dist.
#[test]
fn a_golem_lives_in_an_empty_root() {
    let (image, bardo) = (tempfile::tempdir().unwrap(), env!("CARGO_BIN_EXE_bardo"));
    std::fs::create_dir(image.path().join("home")).unwrap();
    std::fs::copy(bardo, image.path().join("bardo")).unwrap();
    std::fs::write(image.path().join("ca-certificates.crt"), "").unwrap();
    let tried = |more: &[&str]| {
        let mut tool = Command::new(root().join("tools/bare_root"));
        tool.args(more).arg(image.path()).output()
    };
    let Ok(out) = tried(&["--libraries"]) else {
        assert!(std::env::var_os("CI").is_none(), "python3 is needed here");
        eprintln!("skipped: there is no python3");
        return;
    };
    let (said, why) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if why.contains("unshare failed") && std::env::var_os("CI").is_none() {
        eprintln!("skipped: neither root nor namespaces here");
        return;
    }
    assert!(out.status.success(), "{said}{why}");
    assert!(said.starts_with("65532:65532 in a root of bardo "), "{said}");
    // Nothing of this machine is there: without its libraries the program does not even start.
    assert!(!tried(&[]).unwrap().status.success());
}
