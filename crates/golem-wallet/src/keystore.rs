//! Web3 Secret Storage, version 3: a key sealed by a passphrase in a JSON text that every Ethereum wallet can read.

use crate::error::Error;
use crate::hex_text;
use crate::kdf::{Kdf, SealStrength};
use crate::key::Key;
use crate::passphrase::Passphrase;
use aes::Aes128;
use alloy_primitives::{Address, hex, keccak256};
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// No keystore comes near this size.
pub(crate) const LARGEST: usize = 64 * 1_024;

#[derive(Serialize, Deserialize)]
struct KeystoreText {
    /// Not sealed, so only believed once the key is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(alias = "Crypto")]
    crypto: Crypto,
    #[serde(default)]
    id: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct Crypto {
    cipher: String,
    cipherparams: CipherParams,
    #[serde(with = "hex_text")]
    ciphertext: Vec<u8>,
    #[serde(flatten)]
    kdf: Kdf,
    #[serde(with = "hex_text")]
    mac: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct CipherParams {
    #[serde(with = "hex_text")]
    iv: Vec<u8>,
}

/// Seal a key.
pub fn seal(key: &Key, passphrase: &Passphrase) -> Result<String, Error> {
    let kdf = Kdf::ours(random()?);
    let sealing = kdf.derive(passphrase)?;
    let iv: [u8; 16] = random()?;
    let mut sealed = key.secret();
    cipher(&sealing, &iv).apply_keystream(sealed.as_mut());
    let text = KeystoreText {
        address: Some(hex::encode(key.address())),
        crypto: Crypto {
            cipher: "aes-128-ctr".to_owned(),
            cipherparams: CipherParams { iv: iv.to_vec() },
            mac: mac(&sealing, sealed.as_ref()).to_vec(),
            ciphertext: sealed.to_vec(),
            kdf,
        },
        id: uuid(random()?),
        version: 3,
    };
    serde_json::to_string_pretty(&text).map_err(|e| Error::Malformed(e.to_string()))
}

/// Open a sealed key. What is sealed worse than asked for is refused before any work is done.
pub fn open(text: &[u8], passphrase: &Passphrase, strength: SealStrength) -> Result<Key, Error> {
    let text = read(text)?;
    let Crypto { cipherparams, ciphertext, kdf, mac: expected, .. } = &text.crypto;
    let iv: &[u8; 16] =
        cipherparams.iv.as_slice().try_into().map_err(|_| Error::Malformed("an iv that is not 16 bytes".to_owned()))?;
    let sealed: &[u8; 32] =
        ciphertext.as_slice().try_into().map_err(|_| Error::Malformed("a key that is not 32 bytes".to_owned()))?;
    kdf.judge(strength)?;
    let sealing = kdf.derive(passphrase)?;
    if mac(&sealing, sealed).as_slice() != expected.as_slice() {
        return Err(Error::WrongPassphrase);
    }
    let mut secret = Zeroizing::new(*sealed);
    cipher(&sealing, iv).apply_keystream(secret.as_mut());
    let key = Key::of(&secret)?;
    match text.said_address()? {
        Some(said) if said != key.address() => Err(Error::WrongAddress),
        _ => Ok(key),
    }
}

/// The address that a keystore says it is of; nobody has checked it.
pub fn said_address(text: &[u8]) -> Result<Option<Address>, Error> {
    read(text)?.said_address()
}

impl KeystoreText {
    fn said_address(&self) -> Result<Option<Address>, Error> {
        let parse = |s: &String| s.parse().map_err(|_| Error::Malformed("the address is not one".to_owned()));
        self.address.as_ref().filter(|s| !s.is_empty()).map(parse).transpose()
    }
}

fn read(text: &[u8]) -> Result<KeystoreText, Error> {
    if text.len() > LARGEST {
        return Err(Error::Malformed(format!("larger than {LARGEST} bytes")));
    }
    // The parser's own words could quote the file; where it stumbled is enough.
    let text: KeystoreText = serde_json::from_slice(text)
        .map_err(|e| Error::Malformed(format!("at line {} column {}", e.line(), e.column())))?;
    if text.version != 3 {
        return Err(Error::Malformed(format!("it is of version {}", text.version)));
    }
    if text.crypto.cipher != "aes-128-ctr" {
        return Err(Error::Malformed("its cipher is not aes-128-ctr".to_owned()));
    }
    Ok(text)
}

fn cipher(sealing: &[u8; 32], iv: &[u8; 16]) -> Ctr128BE<Aes128> {
    let mut key = Zeroizing::new([0; 16]);
    key.copy_from_slice(&sealing[..16]);
    Ctr128BE::new(&(*key).into(), &(*iv).into())
}

fn mac(sealing: &[u8; 32], sealed: &[u8]) -> [u8; 32] {
    let mut both = Zeroizing::new(Vec::with_capacity(16 + sealed.len()));
    both.extend_from_slice(&sealing[16..]);
    both.extend_from_slice(sealed);
    keccak256(both.as_slice()).0
}

fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| Error::Randomness(e.to_string()))?;
    Ok(bytes)
}

/// A random identifier in the form that the format asks for (UUID version 4).
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let h = hex::encode(bytes);
    format!("{}-{}-{}-{}-{}", &h[..8], &h[8..12], &h[12..16], &h[16..20], &h[20..])
}
