//! Disks that are full or read-only. Needs root for a small file system of its own; without it the tests say so.

use crate::crash_loop::Ear;
use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Tick, Usdc};
use golem_life::{Ask, Being};
use golem_runtime::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A file system of a few megabytes, gone when dropped.
struct Small {
    tmp: tempfile::TempDir,
}

impl Small {
    fn mount(megabytes: u32) -> Option<Self> {
        let tmp = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(tmp.path()).status();
        if done.is_ok_and(|s| s.success()) {
            return Some(Self { tmp });
        }
        assert!(std::env::var_os("CI").is_none(), "CI runs as root and can mount; nothing may be skipped there");
        eprintln!("skipped: mounting a small file system needs root");
        None
    }
    fn golem(&self) -> PathBuf {
        self.tmp.path().join("golem")
    }
    fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        assert!(Command::new("mount").args(["-o", &how]).arg(self.tmp.path()).status().unwrap().success());
    }
    /// Take all room that is left.
    fn fill(&self) {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(self.tmp.path().join("filler")).unwrap();
        for piece in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![1; piece]).is_ok() {}
        }
    }
    fn clear(&self) {
        fs::remove_file(self.tmp.path().join("filler")).unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.tmp.path()).status();
    }
}

fn open_real(dir: &Path, nature: &Nature, ear: &Ear) -> ToyRunner {
    Runner::open(store(dir), nature, Walk::new(), InProcess(Paper), ear.around(Pace::Real)).unwrap()
}

#[test]
fn on_a_full_disk_it_takes_no_new_risk_and_can_still_die() {
    let Some(small) = Small::mount(16) else { return };
    let dir = small.golem();
    newborn(&dir);
    let nature = Nature { buys_one_in: 2, ..Nature::default() };
    let ear = Ear::default();
    let mut runner = open_real(&dir, &nature, &ear);
    runner.run(turns(20)).unwrap();
    assert!(!runner.refuses_new_risk() && dir.join("ballast").exists());
    small.fill();
    let mut ran = 0;
    while !runner.refuses_new_risk() {
        runner.run(turns(1)).unwrap();
        ran += 1;
        assert!(ran < 5_000, "the disk never filled");
    }
    assert!(!dir.join("ballast").exists());
    assert!(ear.notices.lock().unwrap().iter().any(|n| matches!(n, Notice::DiskFull { .. })));
    let held = runner.being().status().asset;
    runner.run(turns(50)).unwrap();
    assert_eq!(runner.being().status().asset, held, "nothing bought");

    let id = Inbox::open(&dir).unwrap().put("k", &Ask::Kill { reason: "full".into() }, NOW).unwrap();
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    runner.close().unwrap();
    assert_eq!(wait_reply(&dir, id, Duration::ZERO).unwrap().unwrap().text, "dying: full");
    assert!(replayed(&dir, &nature).ok);
    assert!(Reader::open(&dir).unwrap().notes().unwrap().iter().any(|n| n.what.starts_with("disk full")));
}

#[test]
fn when_even_the_ballast_is_used_up_it_stops_and_loses_nothing() {
    let Some(small) = Small::mount(16) else { return };
    let dir = small.golem();
    newborn(&dir);
    let nature = Nature { buys_one_in: 2, ..Nature::default() };
    let ear = Ear::default();
    let mut runner = open_real(&dir, &nature, &ear);
    runner.run(turns(20)).unwrap();
    small.fill();
    while !runner.refuses_new_risk() {
        runner.run(turns(1)).unwrap();
    }
    small.fill();
    let mut committed = runner.being().tick();
    let error = loop {
        match runner.run(turns(1)) {
            Ok(_) => committed = runner.being().tick(),
            Err(e) => break e,
        }
    };
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    assert!(matches!(runner.run(turns(1)), Err(Error::Broken)));
    // The turn that failed may have been written before something else did not fit.
    let written = runner.store().lived().unwrap();
    assert!(written == committed || written == committed.next(), "{written} after {committed}");
    drop(runner);

    // Still full: it starts, takes no risk, and the file is whole.
    match Store::open(&dir, OpenOptions::default(), NOW) {
        Ok(store) => assert_eq!(store.ballast(), Ballast::Gone),
        Err(e) => assert!(matches!(e, Error::DiskFull { .. }), "{e}"),
    }
    small.clear();
    let mut runner = open_real(&dir, &nature, &ear);
    assert_eq!(runner.being().tick(), written);
    assert!(!runner.refuses_new_risk() && dir.join("ballast").exists(), "room again, ballast again");
    runner.run(turns(10)).unwrap();
    runner.close().unwrap();
    assert!(replayed(&dir, &nature).ok);
}

#[test]
fn ordinary_turns_leave_the_room_that_dying_needs() {
    let Some(small) = Small::mount(16) else { return };
    let dir = small.golem();
    newborn(&dir);
    let nature = Nature { buys_one_in: 2, bulk: 300_000, ..Nature::default() };
    let mut runner = open_real(&dir, &nature, &Ear::default());
    runner.run(turns(20)).unwrap();
    // Whatever is given up is taken at once, as on a disk that others fill too.
    let error = loop {
        small.fill();
        if let Err(e) = runner.run(turns(1)) {
            break e;
        }
    };
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    let lived = runner.being().tick();
    drop(runner);
    assert!(!dir.join("ballast").exists() && dir.join("ballast.last").exists());
    // It cannot go on; it can be fed no more; it can die. What the turn that failed left in the log is room for a little
    // more: that is used up first.
    let full = |tried: Result<(), Error>| match tried {
        Err(Error::DiskFull { .. }) => true,
        Err(e) => panic!("{e}"),
        Ok(()) => false,
    };
    let go_on = || {
        small.fill();
        let store = Store::open(&dir, OpenOptions::default(), NOW)?;
        let mut runner: ToyRunner =
            Runner::open(store, &nature, Walk::new(), InProcess(Paper), Ear::default().around(Pace::Real))?;
        runner.run(turns(1)).map(drop)
    };
    assert!((0..200).any(|_| full(go_on())), "it goes on and on");
    let feed = |n: u64| {
        small.fill();
        let ask = Ask::Feed { amount: Usdc(1) };
        Inbox::open_for(&dir, &ask).and_then(|mut inbox| inbox.put(&format!("f{n}"), &ask, NOW)).map(drop)
    };
    assert!((0..200).any(|n| full(feed(n))), "it is fed and fed");
    assert!(dir.join("ballast.last").exists());
    small.fill();
    let kill = Ask::Kill { reason: "full".into() };
    let id = Inbox::open_for(&dir, &kill).unwrap().put("k", &kill, NOW).unwrap();
    let how = OpenOptions { to_die: true, ..OpenOptions::default() };
    let store = Store::open(&dir, how, NOW).unwrap();
    let around = Ear::default().around(Pace::Max);
    let mut runner: ToyRunner = Runner::open(store, &nature, Walk::new(), InProcess(Paper), around).unwrap();
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    assert!(runner.being().tick() >= lived);
    runner.close().unwrap();
    assert_eq!(wait_reply(&dir, id, Duration::ZERO).unwrap().unwrap().text, "dying: full");
    assert!(replayed(&dir, &nature).ok);
    assert_eq!(verify_chain(&dir).unwrap().damage, None);
}

#[test]
fn a_kill_switch_works_on_a_full_disk() {
    let Some(small) = Small::mount(16) else { return };
    let dir = small.golem();
    newborn(&dir);
    let nature = Nature::default();
    let mut runner = open_real(&dir, &nature, &Ear::default());
    runner.run(turns(20)).unwrap();
    fs::write(dir.join("kill-switch"), "").unwrap();
    small.fill();
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    assert_eq!(runner.being().tick(), Tick(21));
    drop(runner);
    assert!(replayed(&dir, &nature).ok);
}

#[test]
fn an_order_that_does_not_fit_is_refused_and_not_lost_halfway() {
    let Some(small) = Small::mount(16) else { return };
    let dir = small.golem();
    newborn(&dir);
    let runner = open_real(&dir, &Nature::default(), &Ear::default());
    small.fill();
    let mut inbox = Inbox::open(&dir).unwrap();
    let full = (0..2_000).find_map(|n| inbox.put(&format!("k{n}"), &Ask::Feed { amount: Usdc(n) }, NOW).err());
    assert!(matches!(full, Some(Error::DiskFull { .. } | Error::BadOrder { .. })), "{full:?}");
    drop(runner);
}

#[test]
fn a_read_only_file_system_is_refused_and_can_be_looked_at() {
    let Some(small) = Small::mount(16) else { return };
    let dir = small.golem();
    newborn(&dir);
    let nature = Nature::default();
    let mut runner = open_real(&dir, &nature, &Ear::default());
    runner.run(turns(20)).unwrap();
    runner.close().unwrap();
    small.remount("ro");
    let refused = Store::open(&dir, OpenOptions::default(), NOW).unwrap_err();
    assert!(matches!(refused, Error::NotWritable { .. }), "{refused}");
    assert!(refused.to_string().contains("Read-only file system"), "{refused}");
    assert!(create(&small.tmp.path().join("other"), &origin(1)).is_err());
    assert_eq!(Reader::open(&dir).unwrap().tip().unwrap().0, Tick(20));
    assert_eq!(verify_chain(&dir).unwrap().damage, None);
    assert!(Inbox::open(&dir).and_then(|mut i| i.put("k", &Ask::Pause, NOW)).is_err());
    small.remount("rw");
    store(&dir).close().unwrap();
}
