//! `bardo wallet` as an owner uses it: keys are made, taken over, named and listed, and exposed ones are refused.

use crate::kit;

use kit::{Home, Said};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A private file outside of the home.
fn private(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn with_file(home: &Home, args: &[&str], passphrase: &Path) -> Said {
    home.bardo(&[args, &["--passphrase-file", passphrase.to_str().unwrap()]].concat())
}

/// Give the passphrase through descriptor 0.
fn with_descriptor(home: &Home, args: &[&str], passphrase: &str) -> Said {
    let mut child = home
        .command(&[args, &["--passphrase-fd", "0"]].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What refuses before it needs a passphrase may have gone already.
    let given = child.stdin.take().unwrap().write_all(passphrase.as_bytes());
    assert!(given.is_ok() || given.is_err_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe));
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_wallet_is_made_named_and_listed() {
    let home = Home::new();
    assert!(home.json(&["wallet", "list"]).as_array().unwrap().is_empty());
    let said = with_descriptor(&home, &["wallet", "new", "main", "--json"], "open sesame\n");
    assert_eq!(said.code, 0, "{said:?}");
    let made = said.json();
    let address = made["address"].as_str().unwrap();
    assert!(address.starts_with("0x") && address.len() == 42);
    let path = PathBuf::from(made["path"].as_str().unwrap());
    assert_eq!(path, home.path().join("wallets/main.json"));
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(home.json(&["wallet", "address", "main"])["address"], address);
    assert_eq!(home.ok(&["wallet", "address", "main"]).out.trim(), address);
    assert_eq!(home.json(&["wallet", "list"])[0]["address"], address);
    assert!(!format!("{said:?}").contains("sesame"));

    let again = with_descriptor(&home, &["wallet", "new", "main"], "open sesame\n");
    assert!(again.code == 2 && again.err.contains("exists already"), "{again:?}");
    let typo = home.bardo(&["wallet", "address", "mian"]);
    assert!(typo.code == 2 && typo.err.contains("did you mean main?"), "{typo:?}");
}

#[test]
fn a_bare_key_and_a_weak_keystore_are_taken_over() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let passphrase = private(away.path(), "passphrase", "testpassword\n");
    let bare = private(away.path(), "bare", "0x0000000000000000000000000000000000000000000000000000000000000001\n");
    let said = with_file(&home, &["wallet", "import", "bare", "--from", bare.to_str().unwrap(), "--json"], &passphrase);
    assert_eq!(said.json()["address"], "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "{said:?}");

    // The format's own example, with the thin blocks that we would not open as they are.
    let weak = private(
        away.path(),
        "weak.json",
        r#"{ "crypto": { "cipher": "aes-128-ctr", "cipherparams": { "iv": "83dbcc02d8ccb40e466191a123791e0e" },
            "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c", "kdf": "scrypt",
            "kdfparams": { "dklen": 32, "n": 262144, "r": 1, "p": 8,
                "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19" },
            "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097" },
            "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3 }"#,
    );
    let import = ["wallet", "import", "old", "--from", weak.to_str().unwrap(), "--json"];
    let wrong = private(away.path(), "wrong", "another\n");
    let said = with_file(&home, &import, &wrong);
    assert!(said.code == 2 && said.err.contains("does not open"), "{said:?}");
    let said = with_file(&home, &import, &passphrase);
    assert_eq!(said.json()["address"], "0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b", "{said:?}");
    let sealed = std::fs::read_to_string(home.path().join("wallets/old.json")).unwrap();
    assert!(sealed.contains("131072"), "sealed anew: {sealed}");
}

#[test]
fn exposed_files_are_refused_with_a_hint() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let passphrase = private(away.path(), "passphrase", "open sesame\n");
    let new = ["wallet", "new", "main"];
    std::fs::set_permissions(&passphrase, std::fs::Permissions::from_mode(0o644)).unwrap();
    let said = with_file(&home, &new, &passphrase);
    assert!(said.code == 2 && said.err.contains("hint: ") && said.err.contains("chmod 600"), "{said:?}");
    std::fs::set_permissions(&passphrase, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&passphrase, away.path().join("link")).unwrap();
    let said = with_file(&home, &new, &away.path().join("link"));
    assert!(said.code == 2 && said.err.contains("symbolic link"), "{said:?}");
    let said = with_descriptor(&home, &new, "\n");
    assert!(said.code == 2 && said.err.contains("empty"), "{said:?}");
    let said = with_file(&home, &new, &away.path().join("nowhere"));
    assert_eq!(said.code, 1, "{said:?}");

    std::fs::create_dir(home.path().join(".git")).unwrap();
    let said = with_file(&home, &new, &passphrase);
    assert!(said.code == 2 && said.err.contains("git work tree"), "{said:?}");
    assert!(!home.path().join("wallets").exists(), "a refusal leaves no trace");
}

#[test]
fn a_passphrase_is_never_an_argument() {
    let home = Home::new();
    for args in [
        &["wallet", "new", "main", "--passphrase", "open"][..],
        &["wallet", "new", "main", "--passphrase-fd", "-1"],
        &["wallet", "new", "main", "--passphrase-fd", "0", "--passphrase-file", "f"],
        &["wallet", "new", "../main", "--passphrase-fd", "0"],
    ] {
        let said = home.bardo(args);
        assert_eq!(said.code, 2, "{args:?}: {said:?}");
    }
    assert!(!home.path().join("wallets").exists());
}

/// In a session of its own there is no terminal to ask at.
#[test]
fn without_a_terminal_the_flags_are_named() {
    let home = Home::new();
    let command = home.command(&["wallet", "new", "main"]);
    let mut alone = std::process::Command::new("setsid");
    alone.arg("--wait").arg(command.get_program()).args(command.get_args()).env("BARDO_HOME", home.path());
    let said = Said::from(alone.stdin(Stdio::null()).output().unwrap());
    assert!(said.code == 2 && said.err.contains("--passphrase-fd"), "{said:?}");
}
