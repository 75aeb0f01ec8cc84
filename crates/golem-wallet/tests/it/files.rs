//! Which files a secret may lie in. Every rule is shown on a real file that breaks it and nothing else.

use golem_core::Name;
use golem_wallet::{Error, Exposed, Passphrase, PassphraseSource, Wallets};
use rustix::fs::{Gid, Mode, Uid};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn phrase() -> Passphrase {
    Passphrase::new(b"open sesame".to_vec().into()).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A passphrase file goes through the same rules as a keystore, and is cheap to read.
fn read(path: impl Into<PathBuf>) -> Result<(), Error> {
    PassphraseSource::File(path.into()).existing("x").map(|_| ())
}

#[track_caller]
fn refused(outcome: Result<(), Error>, wanted: Exposed) {
    match outcome {
        Err(Error::Unsafe { why, .. }) => assert_eq!(why, wanted),
        other => panic!("{other:?}, where {wanted:?} was expected"),
    }
}

#[test]
fn only_the_owner_may_have_any_access() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret");
    fs::write(&file, "open\n").unwrap();
    for mode in [0o600, 0o400, 0o700] {
        set_mode(&file, mode);
        read(&file).unwrap();
    }
    for bit in [0o040, 0o020, 0o010, 0o004, 0o002, 0o001] {
        set_mode(&file, 0o600 | bit);
        refused(read(&file), Exposed::ToOthers);
    }
}

#[test]
fn a_link_is_not_followed_at_the_file_or_its_directory_but_may_lie_further_up() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real/inner");
    fs::create_dir_all(&real).unwrap();
    let file = real.join("secret");
    fs::write(&file, "open\n").unwrap();
    set_mode(&file, 0o600);
    symlink(&file, real.join("link")).unwrap();
    refused(read(real.join("link")), Exposed::Symlink);
    symlink(&real, dir.path().join("to-inner")).unwrap();
    refused(read(dir.path().join("to-inner/secret")), Exposed::Symlink);
    symlink(dir.path().join("real"), dir.path().join("to-real")).unwrap();
    read(dir.path().join("to-real/inner/secret")).unwrap();
    symlink("/nowhere", real.join("dangling")).unwrap();
    refused(read(real.join("dangling")), Exposed::Symlink);
}

#[test]
fn a_directory_that_others_can_write_to_is_refused_unless_it_is_sticky() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret");
    fs::write(&file, "open\n").unwrap();
    set_mode(&file, 0o600);
    for (mode, fine) in [(0o755, true), (0o775, false), (0o777, false), (0o1777, true)] {
        set_mode(dir.path(), mode);
        match fine {
            true => read(&file).unwrap(),
            false => refused(read(&file), Exposed::WritableDirectory),
        }
    }
}

#[test]
fn what_is_no_plain_file_or_too_large_is_refused_and_holds_nobody_up() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    refused(read(&fifo), Exposed::NotAFile);
    fs::create_dir(dir.path().join("folder")).unwrap();
    refused(read(dir.path().join("folder")), Exposed::NotAFile);
    refused(read("/"), Exposed::NotAFile);
    assert!(matches!(read(dir.path().join("nothing")), Err(Error::Io { .. })));

    let large = dir.path().join("wallets/large.json");
    fs::create_dir(dir.path().join("wallets")).unwrap();
    for (size, fine) in [(65_536, true), (65_537, false)] {
        fs::write(&large, vec![b' '; size]).unwrap();
        set_mode(&large, 0o600);
        let said = Wallets::at(dir.path().join("wallets")).open(&"large".parse().unwrap(), &phrase()).unwrap_err();
        let told = matches!(said, Error::Unsafe { why: Exposed::TooLarge, .. });
        assert_eq!(told, !fine, "{said:?}");
    }
}

#[test]
fn another_users_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret");
    fs::write(&file, "open\n").unwrap();
    set_mode(&file, 0o600);
    // Only root can give a file away; whoever is not root already has root's files around.
    if rustix::process::geteuid().is_root() {
        rustix::fs::chown(&file, Some(Uid::from_raw(65_534)), Some(Gid::from_raw(65_534))).unwrap();
        refused(read(&file), Exposed::NotOurs);
        rustix::fs::chown(&file, Some(Uid::ROOT), None).unwrap();
        rustix::fs::chown(dir.path(), Some(Uid::from_raw(65_534)), None).unwrap();
        refused(read(&file), Exposed::NotOurs);
    } else {
        refused(read("/etc/passwd"), Exposed::NotOurs);
    }
}

#[test]
fn nothing_secret_lies_or_is_put_in_a_git_work_tree() {
    for (mark, is_dir) in [(".git", true), (".git", false)] {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("repo/deep/home");
        let wallets = Wallets::at(home.join("wallets"));
        let name: Name = "one".parse().unwrap();
        fs::create_dir_all(dir.path().join("repo")).unwrap();
        let mark = dir.path().join("repo").join(mark);
        if is_dir {
            fs::create_dir(&mark).unwrap()
        } else {
            fs::write(&mark, "gitdir: elsewhere").unwrap()
        }
        refused(wallets.create(&name, &phrase()).map(|_| ()), Exposed::InGit);
        assert!(!dir.path().join("repo/deep").exists(), "a refusal leaves no trace");

        fs::rename(&mark, dir.path().join("repo/git-aside")).unwrap();
        wallets.create(&name, &phrase()).unwrap();
        fs::rename(dir.path().join("repo/git-aside"), &mark).unwrap();
        refused(wallets.open(&name, &phrase()).map(|_| ()), Exposed::InGit);
        // Through a link from outside it is still the same place.
        symlink(dir.path().join("repo"), dir.path().join("outside")).unwrap();
        let roundabout = Wallets::at(dir.path().join("outside/deep/home/wallets"));
        refused(roundabout.open(&name, &phrase()).map(|_| ()), Exposed::InGit);
    }
}

#[test]
fn a_wallet_is_not_put_where_others_could_exchange_it() {
    let dir = tempfile::tempdir().unwrap();
    let drawer = dir.path().join("wallets");
    fs::create_dir(&drawer).unwrap();
    set_mode(&drawer, 0o777);
    let name: Name = "one".parse().unwrap();
    refused(Wallets::at(&drawer).create(&name, &phrase()).map(|_| ()), Exposed::WritableDirectory);
    symlink(dir.path(), dir.path().join("link")).unwrap();
    refused(Wallets::at(dir.path().join("link")).create(&name, &phrase()).map(|_| ()), Exposed::Symlink);
    assert_eq!(fs::read_dir(&drawer).unwrap().count(), 0);
}

#[test]
fn a_file_that_appears_meanwhile_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let wallets = Wallets::at(dir.path().join("wallets"));
    let name: Name = "one".parse().unwrap();
    let (a, b) = std::thread::scope(|s| {
        let a = s.spawn(|| wallets.create(&name, &phrase()));
        let b = s.spawn(|| wallets.create(&name, &phrase()));
        (a.join().unwrap(), b.join().unwrap())
    });
    let (won, lost) = if a.is_ok() { (a, b) } else { (b, a) };
    assert!(matches!(lost, Err(Error::Exists(_))), "{lost:?}");
    assert_eq!(wallets.open(&name, &phrase()).unwrap().address(), won.unwrap());
}
