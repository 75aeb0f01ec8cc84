//! The drawer of wallets: one keystore file per name in one private directory.

use crate::error::Error;
use crate::kdf::SealStrength;
use crate::key::Key;
use crate::keystore;
use crate::passphrase::{Passphrase, PassphraseSource};
use crate::private_file;
use alloy_primitives::Address;
use golem_core::Name;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// A directory of keystores.
#[derive(Debug, Clone)]
pub struct Wallets {
    dir: PathBuf,
}

/// A wallet as the list shows it.
#[derive(Debug)]
pub struct ListedWallet {
    /// Its name.
    pub name: Name,
    /// The address that its file says it is of, or what is wrong with the file.
    pub address: Result<Address, Error>,
}

impl Wallets {
    /// The drawer at this place, which need not exist yet.
    #[must_use]
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Where a wallet's file is, or would be.
    #[must_use]
    pub fn path(&self, name: &Name) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }

    /// A new key under a new name.
    pub fn create(&self, name: &Name, passphrase: &Passphrase) -> Result<Address, Error> {
        self.keep(name, &Key::random()?, passphrase)
    }

    /// A key that there already is, under a new name.
    pub fn keep(&self, name: &Name, key: &Key, passphrase: &Passphrase) -> Result<Address, Error> {
        self.is_free(name)?;
        passphrase.fit_to_seal()?;
        let sealed = keystore::seal(key, passphrase)?;
        private_file::place(&self.path(name), sealed.as_bytes())?;
        Ok(key.address())
    }

    /// Refuse a name that is taken, before anybody is asked for a passphrase.
    pub fn is_free(&self, name: &Name) -> Result<(), Error> {
        let path = self.path(name);
        if path.symlink_metadata().is_ok() { Err(Error::Exists(path)) } else { Ok(()) }
    }

    /// The key of a wallet.
    pub fn open(&self, name: &Name, passphrase: &Passphrase) -> Result<Key, Error> {
        keystore::open(&self.read(name)?, passphrase, SealStrength::Full)
    }

    /// The address that a wallet's file says it is of; only opening it proves that.
    pub fn address(&self, name: &Name) -> Result<Address, Error> {
        let said = keystore::said_address(&self.read(name)?)?;
        said.ok_or_else(|| Error::Malformed("no address is written in it".to_owned()))
    }

    /// Every wallet by name, each with its address or what is wrong with it.
    pub fn list(&self) -> Result<Vec<ListedWallet>, Error> {
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Error::io("read", &self.dir, e)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(|e| Error::io("read", &self.dir, e))?.file_name();
            let name = file.to_str().and_then(|f| f.strip_suffix(".json")).and_then(|n| n.parse::<Name>().ok());
            names.extend(name);
        }
        names.sort();
        Ok(names.into_iter().map(|name| ListedWallet { address: self.address(&name), name }).collect())
    }

    fn read(&self, name: &Name) -> Result<Zeroizing<Vec<u8>>, Error> {
        let path = self.path(name);
        private_file::read(&path, keystore::LARGEST).map_err(|e| match e {
            Error::Io { source, .. } if source.kind() == ErrorKind::NotFound => Error::Missing(name.to_string()),
            e => e,
        })
    }
}

/// Read a key from somebody else's file: a keystore of any strength (its passphrase opens it, and is handed back to seal
/// it anew), or 64 hex digits (a passphrase is chosen).
pub fn import(file: &Path, passphrase: &PassphraseSource, name: &Name) -> Result<(Key, Passphrase), Error> {
    let text = private_file::read(file, keystore::LARGEST)?;
    if text.trim_ascii_start().starts_with(b"{") {
        let passphrase = passphrase.existing(&file.display().to_string())?;
        let key = keystore::open(&text, &passphrase, SealStrength::Any)?;
        return Ok((key, passphrase));
    }
    let key = Key::from_hex(&text)?;
    Ok((key, passphrase.chosen(name.as_str())?))
}
