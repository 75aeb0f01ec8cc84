//! The wallets of a home: which there are, and how one is opened.

use crate::cli::PassphraseArgs;
use crate::fail::Fail;
use crate::home::Home;
use crate::settings_file::nearest;
use golem_core::Name;
use golem_wallet::{PassphraseSource, Wallets};

/// Where they are kept.
pub fn at(home: &Home) -> Wallets {
    Wallets::at(home.path().join("wallets"))
}

/// The name of a wallet.
pub fn named(word: &str) -> Result<Name, Fail> {
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

/// The address of a wallet.
pub fn address_of(word: &str, wallets: &Wallets) -> Result<String, Fail> {
    let address = wallets.address(&named(word)?).map_err(|e| match e {
        golem_wallet::Error::Missing(_) => missing(word, wallets),
        e => e.into(),
    })?;
    Ok(address.to_string())
}

/// The key of a wallet, for a golem that signs with it.
pub fn open(word: &str, passphrase: &PassphraseArgs, home: &Home) -> Result<golem_wallet::Key, Fail> {
    let (name, wallets) = (named(word)?, at(home));
    wallets.address(&name).map_err(|e| match e {
        golem_wallet::Error::Missing(_) => missing(word, &wallets),
        e => e.into(),
    })?;
    let passphrase = source(passphrase)?.existing(name.as_str())?;
    Ok(wallets.open(&name, &passphrase)?)
}

/// Where the owner said that the passphrase comes from; without a word, from the terminal.
pub fn source(flags: &PassphraseArgs) -> Result<PassphraseSource, Fail> {
    match (flags.passphrase_fd, &flags.passphrase_file) {
        (Some(fd), _) => match u32::try_from(fd) {
            Ok(fd) => Ok(PassphraseSource::Descriptor(fd)),
            Err(_) => Err(Fail::owner(format!("--passphrase-fd {fd} is no file descriptor"))),
        },
        (None, Some(file)) => Ok(PassphraseSource::File(file.clone())),
        (None, None) => Ok(PassphraseSource::Prompt),
    }
}
