//! `bardo wallet new|import|address|list`: keys, kept sealed under `wallets/`. Nothing here ever sees one.

use crate::cli::{ImportWallet, NewWallet, Passphrase, Wallet};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::settings_file::nearest;
use golem_core::Name;
use golem_wallet::{Source, Wallets};
use serde_json::json;

/// One wallet command.
pub fn run(command: Wallet, home: &Home, out: &Out) -> Result<(), Fail> {
    let wallets = Wallets::at(home.path().join("wallets"));
    match command {
        Wallet::New(args) => new(&args, &wallets, out),
        Wallet::Import(args) => import(&args, &wallets, out),
        Wallet::Address { name } => address(&name, &wallets, out),
        Wallet::List => list(&wallets, home, out),
    }
}

fn new(args: &NewWallet, wallets: &Wallets, out: &Out) -> Result<(), Fail> {
    let name = named(&args.name)?;
    wallets.is_free(&name)?;
    let passphrase = source(&args.passphrase)?.chosen(name.as_str())?;
    out.say("sealing the key; this takes a moment on purpose");
    let address = wallets.create(&name, &passphrase)?;
    made("new", &name, &address.to_string(), wallets, out)
}

fn import(args: &ImportWallet, wallets: &Wallets, out: &Out) -> Result<(), Fail> {
    let name = named(&args.name)?;
    wallets.is_free(&name)?;
    let (key, passphrase) = golem_wallet::import(&args.from, &source(&args.passphrase)?, &name)?;
    out.say("sealing the key; this takes a moment on purpose");
    let address = wallets.keep(&name, &key, &passphrase)?;
    out.say(&format!("{} is left as it was: remove it once you are sure", args.from.display()));
    made("imported", &name, &address.to_string(), wallets, out)
}

fn made(how: &str, name: &Name, address: &str, wallets: &Wallets, out: &Out) -> Result<(), Fail> {
    let path = wallets.path(name).display().to_string();
    out.result(&json!({ "name": name, "address": address, "path": path }), || {
        format!(
            "{name} ({how}): {address}\n  kept in {path}\n  without this file and its passphrase, what the address holds is lost: keep copies of both, apart"
        )
    })
}

fn address(word: &str, wallets: &Wallets, out: &Out) -> Result<(), Fail> {
    let (name, address) = (named(word)?, address_of(word, wallets)?);
    out.result(&json!({ "name": name, "address": address }), || address.clone())
}

fn address_of(word: &str, wallets: &Wallets) -> Result<String, Fail> {
    let address = wallets.address(&named(word)?).map_err(|e| match e {
        golem_wallet::Error::Missing(_) => missing(word, wallets),
        e => e.into(),
    })?;
    Ok(address.to_string())
}

/// Whether there is such a wallet in this home.
pub fn exists(word: &str, home: &Home) -> Result<(), Fail> {
    address_of(word, &Wallets::at(home.path().join("wallets"))).map(drop)
}

fn list(wallets: &Wallets, home: &Home, out: &Out) -> Result<(), Fail> {
    let all = wallets.list()?;
    // One damaged file must not hide the others.
    let rows: Vec<_> = all
        .iter()
        .map(|w| match &w.address {
            Ok(address) => json!({ "name": w.name, "address": address.to_string() }),
            Err(e) => json!({ "name": w.name, "address": null, "problem": e.to_string() }),
        })
        .collect();
    out.result(&rows, || {
        if all.is_empty() {
            return format!("no wallets in {}\nmake one: bardo wallet new NAME", home.path().display());
        }
        let line = |w: &golem_wallet::Listed| match &w.address {
            Ok(address) => format!("{:<20} {address}", w.name.as_str()),
            Err(e) => format!("{:<20} {e}", w.name.as_str()),
        };
        all.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn named(word: &str) -> Result<Name, Fail> {
    word.parse().map_err(|e: golem_core::ids::BadName| Fail::owner(e.to_string()))
}

fn missing(word: &str, wallets: &Wallets) -> Fail {
    let names: Vec<String> = wallets.list().unwrap_or_default().iter().map(|w| w.name.to_string()).collect();
    let hint = match nearest(word, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None if names.is_empty() => "make one: bardo wallet new NAME".to_owned(),
        None => format!("there are: {}", names.join(", ")),
    };
    Fail::hint(format!("there is no wallet called {word:?}"), hint)
}

/// The key of a wallet, for a golem that signs with it.
pub fn open(word: &str, passphrase: &Passphrase, home: &Home) -> Result<golem_wallet::Key, Fail> {
    let (name, wallets) = (named(word)?, Wallets::at(home.path().join("wallets")));
    wallets.address(&name).map_err(|e| match e {
        golem_wallet::Error::Missing(_) => missing(word, &wallets),
        e => e.into(),
    })?;
    let passphrase = source(passphrase)?.existing(name.as_str())?;
    Ok(wallets.open(&name, &passphrase)?)
}

/// Where the owner said that the passphrase comes from; without a word, from the terminal.
pub fn source(flags: &Passphrase) -> Result<Source, Fail> {
    match (flags.passphrase_fd, &flags.passphrase_file) {
        (Some(fd), _) => match u32::try_from(fd) {
            Ok(fd) => Ok(Source::Descriptor(fd)),
            Err(_) => Err(Fail::owner(format!("--passphrase-fd {fd} is no file descriptor"))),
        },
        (None, Some(file)) => Ok(Source::File(file.clone())),
        (None, None) => Ok(Source::Prompt),
    }
}

impl From<golem_wallet::Error> for Fail {
    fn from(e: golem_wallet::Error) -> Self {
        match e.hint() {
            _ if e.is_worlds() => Self::world(e.to_string()),
            Some(hint) => Self::hint(e.to_string(), hint),
            None => Self::owner(e.to_string()),
        }
    }
}
