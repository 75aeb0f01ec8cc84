//! Keystores: the format's own examples, our own, and those of another implementation, read both ways.

use alloy_primitives::{Address, address, hex};
use alloy_signer_local::PrivateKeySigner;
use golem_core::Name;
use golem_wallet::{Error, Key, Passphrase, PassphraseSource, SealStrength, Wallets, address_of, import, keystore};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SECRET: [u8; 32] = hex!("7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d");
const ADDRESS: Address = address!("008aeeda4d805471df9b2a5b0f38a0c3bcba786b");

/// The two examples of the format's definition, both of the same key.
fn examples() -> [String; 2] {
    let whole = |cipher: &str, kdf: &str, mac: &str| {
        format!(
            r#"{{ "crypto": {{ "cipher": "aes-128-ctr", {cipher}, {kdf}, "mac": "{mac}" }},
                "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3 }}"#
        )
    };
    [
        whole(
            r#""cipherparams": { "iv": "6087dab2f9fdbbfaddc31a909735c1e6" },
               "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46""#,
            r#""kdf": "pbkdf2", "kdfparams": { "c": 262144, "dklen": 32, "prf": "hmac-sha256",
               "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd" }"#,
            "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
        ),
        whole(
            r#""cipherparams": { "iv": "83dbcc02d8ccb40e466191a123791e0e" },
               "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c""#,
            r#""kdf": "scrypt", "kdfparams": { "dklen": 32, "n": 262144, "r": 1, "p": 8,
               "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19" }"#,
            "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
        ),
    ]
}

fn phrase(text: &str) -> Passphrase {
    Passphrase::new(text.as_bytes().to_vec().into()).unwrap()
}

fn private(dir: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn address_by_alloy(path: &Path, passphrase: &str) -> Address {
    PrivateKeySigner::decrypt_keystore(path, passphrase).unwrap().address()
}

#[test]
fn the_formats_own_examples_are_imported() {
    let dir = tempfile::tempdir().unwrap();
    let passphrase = PassphraseSource::File(private(&dir, "passphrase", "testpassword\n"));
    for example in examples() {
        let (key, _) = import(&private(&dir, "example.json", &example), &passphrase, &name("x")).unwrap();
        assert_eq!((key.address(), address_of(&SECRET).unwrap()), (ADDRESS, ADDRESS));
    }
}

#[test]
fn of_the_examples_only_the_strong_one_is_opened_as_it_is() {
    let [pbkdf2, thin_scrypt] = examples();
    let opened = keystore::open(pbkdf2.as_bytes(), &phrase("testpassword"), SealStrength::Full).unwrap();
    assert_eq!(opened.address(), ADDRESS);
    let refused = keystore::open(thin_scrypt.as_bytes(), &phrase("testpassword"), SealStrength::Full);
    assert!(matches!(refused, Err(Error::Weak(_))), "{refused:?}");
}

#[test]
fn what_we_seal_we_and_others_can_open() {
    let dir = tempfile::tempdir().unwrap();
    let wallets = Wallets::at(dir.path().join("home/wallets"));
    let made = wallets.keep(&name("main"), &Key::of(&SECRET).unwrap(), &phrase("pass phrase ✓")).unwrap();
    assert_eq!(made, ADDRESS);
    let path = wallets.path(&name("main"));
    assert_eq!(address_by_alloy(&path, "pass phrase ✓"), ADDRESS);
    assert_eq!(wallets.open(&name("main"), &phrase("pass phrase ✓")).unwrap().address(), ADDRESS);
    assert!(matches!(wallets.open(&name("main"), &phrase("pass phrase")), Err(Error::WrongPassphrase)));

    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["main.json"], "nothing else may be left behind");

    let json: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let params = &json["crypto"]["kdfparams"];
    assert_eq!((&params["n"], &params["r"], &params["p"]), (&131_072.into(), &8.into(), &1.into()));
    assert_eq!(json["address"], "008aeeda4d805471df9b2a5b0f38a0c3bcba786b");
    assert_eq!(json["version"], 3);
    let text = json.to_string();
    assert!(!text.contains(&hex::encode(SECRET)) && !text.contains("phrase"), "{text}");
}

#[test]
fn what_others_seal_is_imported_and_sealed_anew() {
    let dir = tempfile::tempdir().unwrap();
    let theirs = dir.path().join("theirs");
    let mut rng = TestRng(1);
    PrivateKeySigner::encrypt_keystore(dir.path(), &mut rng, SECRET, "open sesame", Some("theirs")).unwrap();
    fs::set_permissions(&theirs, fs::Permissions::from_mode(0o600)).unwrap();
    let weak = keystore::open(&fs::read(&theirs).unwrap(), &phrase("open sesame"), SealStrength::Full);
    assert!(matches!(weak, Err(Error::Weak(_))), "{weak:?}");

    let source = PassphraseSource::File(private(&dir, "passphrase", "open sesame"));
    let (key, passphrase) = import(&theirs, &source, &name("mine")).unwrap();
    let wallets = Wallets::at(dir.path().join("wallets"));
    wallets.keep(&name("mine"), &key, &passphrase).unwrap();
    assert_eq!(wallets.open(&name("mine"), &phrase("open sesame")).unwrap().address(), ADDRESS);
}

#[test]
fn bare_digits_are_imported() {
    let dir = tempfile::tempdir().unwrap();
    let passphrase = PassphraseSource::File(private(&dir, "passphrase", "open sesame"));
    let bare = private(&dir, "key", &format!("0x{}\n", hex::encode(SECRET)));
    assert_eq!(import(&bare, &passphrase, &name("x")).unwrap().0.address(), ADDRESS);
    let bad = import(&private(&dir, "bad", "0x1234"), &passphrase, &name("x"));
    assert!(matches!(bad, Err(Error::NotAKey)), "{bad:?}");
}

#[test]
fn a_key_is_never_overwritten_and_the_list_tells_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let wallets = Wallets::at(dir.path().join("wallets"));
    for short in ["x", "open"] {
        assert!(matches!(wallets.create(&name("one"), &phrase(short)), Err(Error::WeakPassphrase(10))), "{short}");
    }
    assert!(wallets.list().unwrap().is_empty());
    let made = wallets.create(&name("one"), &phrase("open sesame")).unwrap();
    let before = fs::read(wallets.path(&name("one"))).unwrap();
    assert!(matches!(wallets.create(&name("one"), &phrase("open sesame")), Err(Error::Exists(_))));
    assert_eq!(fs::read(wallets.path(&name("one"))).unwrap(), before);
    assert!(matches!(wallets.open(&name("two"), &phrase("open sesame")), Err(Error::Missing(_))));

    fs::write(wallets.path(&name("two")), "{}").unwrap();
    fs::write(dir.path().join("wallets/Not A Name.json"), "{}").unwrap();
    let list = wallets.list().unwrap();
    assert_eq!(list.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(*list[0].address.as_ref().unwrap(), made);
    assert!(list[1].address.is_err());
}

/// One thing changed in the good example, and what must then be said.
#[test]
fn weak_absurd_and_broken_keystores_are_refused_before_any_work() {
    type Wanted = fn(&Error) -> bool;
    let weak: Wanted = |e| matches!(e, Error::Weak(_));
    let absurd: Wanted = |e| matches!(e, Error::Absurd(_));
    let malformed: Wanted = |e| matches!(e, Error::Malformed(_));
    let [pbkdf2, scrypt] = examples();
    let scrypt = scrypt.replace("\"r\": 1, \"p\": 8", "\"r\": 8, \"p\": 1");
    let table: &[(&str, &str, &str, Wanted)] = &[
        (&scrypt, "262144", "65536", weak),
        (&scrypt, "262144", "2", weak),
        (&scrypt, "\"r\": 8", "\"r\": 1", weak),
        (&scrypt, "\"r\": 8", "\"r\": 7", weak),
        (&scrypt, "262144", "2097152", absurd),
        (&scrypt, "262144", "9223372036854775808", absurd),
        (&scrypt, "\"r\": 8", "\"r\": 4294967295", absurd),
        (&scrypt, "\"p\": 1", "\"p\": 4294967295", absurd),
        (&scrypt, "262144", "18446744073709551616", malformed),
        (&scrypt, "262144", "262145", malformed),
        (&scrypt, "262144", "0", malformed),
        (&scrypt, "262144", "1", malformed),
        (&scrypt, "262144", "-1", malformed),
        (&scrypt, "\"r\": 8", "\"r\": 0", malformed),
        (&scrypt, "\"p\": 1", "\"p\": 0", malformed),
        (&scrypt, "\"dklen\": 32", "\"dklen\": 16", malformed),
        (&scrypt, "\"dklen\": 32", "\"dklen\": 64", malformed),
        (&scrypt, "ab0c7876052600dd703518d6fc3fe898", "", |e| matches!(e, Error::WrongPassphrase)),
        (&scrypt, "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19", "ab", weak),
        (&scrypt, "\"scrypt\"", "\"argon2id\"", malformed),
        (&scrypt, "aes-128-ctr", "aes-128-cbc", malformed),
        (&scrypt, "\"version\": 3", "\"version\": 1", malformed),
        (&scrypt, "83dbcc02d8ccb40e466191a123791e0e", "83dbcc02", malformed),
        (&scrypt, "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c", "d1", malformed),
        (&scrypt, "\"mac\": \"21", "\"mac\": \"22", |e| matches!(e, Error::WrongPassphrase)),
        (&scrypt, "\"mac\": \"21", "\"mac\": \"zz", malformed),
        (&pbkdf2, "262144", "262143", weak),
        (&pbkdf2, "262144", "0", malformed),
        (&pbkdf2, "262144", "4294967295", absurd),
        (&pbkdf2, "hmac-sha256", "hmac-md5", malformed),
    ];
    for (text, from, to, wanted) in table {
        let changed = text.replacen(from, to, 1);
        assert_ne!(&changed, text);
        let said = keystore::open(changed.as_bytes(), &phrase("testpassword"), SealStrength::Full).unwrap_err();
        assert!(wanted(&said), "{from} -> {to}: {said:?}");
    }
}

#[test]
fn an_absurd_keystore_is_refused_at_import_too() {
    let [_, scrypt] = examples();
    let absurd = scrypt.replace("262144", "1073741824");
    let said = keystore::open(absurd.as_bytes(), &phrase("testpassword"), SealStrength::Any);
    assert!(matches!(said, Err(Error::Absurd(_))), "{said:?}");
}

#[test]
fn a_keystore_that_says_another_address_is_refused() {
    let [pbkdf2, _] = examples();
    let other = pbkdf2.replacen('{', r#"{ "address": "7E5F4552091A69125d5DfCb7b8C2659029395Bdf","#, 1);
    assert!(keystore::said_address(other.as_bytes()).unwrap().is_some());
    let said = keystore::open(other.as_bytes(), &phrase("testpassword"), SealStrength::Full);
    assert!(matches!(said, Err(Error::WrongAddress)), "{said:?}");
}

#[test]
fn no_error_tells_a_secret() {
    let dir = tempfile::tempdir().unwrap();
    let source = PassphraseSource::File(private(&dir, "passphrase", "open sesame"));
    let almost = format!("{}zz", &hex::encode(SECRET)[..62]);
    let quoting = format!(r#"{{ "crypto": "{}" }}"#, hex::encode(SECRET));
    for text in [almost, quoting, examples()[0].replace("262144", "1000")] {
        let said = import(&private(&dir, "key", &text), &source, &name("x")).unwrap_err();
        let shown = format!("{said} {said:?} {source:?}");
        assert!(!shown.contains("7a28b5ba") && !shown.contains("sesame"), "{shown}");
    }
}

/// Just enough of a generator for the other implementation, which asks for one.
struct TestRng(u64);

impl rand::RngCore for TestRng {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.rotate_left(23)
    }
    fn fill_bytes(&mut self, out: &mut [u8]) {
        out.iter_mut().for_each(|b| *b = self.next_u64() as u8);
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), rand::Error> {
        self.fill_bytes(out);
        Ok(())
    }
}

impl rand::CryptoRng for TestRng {}
