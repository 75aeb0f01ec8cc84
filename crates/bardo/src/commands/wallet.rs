//! `bardo wallet new|import|address|list|seal-key`: keys, kept sealed under `wallets/`. Nothing here ever sees one.

use crate::cli::{ImportWallet, NewWallet, Wallet};
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::wallets::{address_of, at, named, source};
use golem_core::Name;
use golem_wallet::Wallets;
use serde_json::json;
use std::path::Path;

/// One wallet command.
pub fn run(command: Wallet, home: &Home, out: &Out) -> Result<(), Fail> {
    let wallets = at(home);
    match command {
        Wallet::New(args) => new(&args, &wallets, out),
        Wallet::Import(args) => import(&args, &wallets, out),
        Wallet::Address { name } => address(&name, &wallets, out),
        Wallet::List => list(&wallets, home, out),
        Wallet::SealKey { file } => seal_key(&file, out),
    }
}

fn seal_key(file: &Path, out: &Out) -> Result<(), Fail> {
    let public = golem_wallet::SealKey::make(file)?.text();
    let path = file.display().to_string();
    out.result(&json!({ "sealed_to": public, "path": path }), || {
        crate::lines::folded(&format!(
            "{public}\n  seal what a golem will leave to it: bardo golem create NAME --set testament.sealed_to={public}\n  kept in {path}; without this file nobody opens what was sealed"
        ))
    })
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
        crate::lines::folded(&format!(
            "{name} ({how}): {address}\n  kept in {path}\n  without this file and its passphrase, what the address holds is lost: keep copies of both, apart"
        ))
    })
}

fn address(word: &str, wallets: &Wallets, out: &Out) -> Result<(), Fail> {
    let (name, address) = (named(word)?, address_of(word, wallets)?);
    out.result(&json!({ "name": name, "address": address }), || address.clone())
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
        let line = |w: &golem_wallet::ListedWallet| match &w.address {
            Ok(address) => format!("{:<20} {address}", w.name.as_str()),
            Err(e) => format!("{:<20} {e}", w.name.as_str()),
        };
        all.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}
