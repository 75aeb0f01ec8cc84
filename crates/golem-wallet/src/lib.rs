//! The one room that holds keys: keystores, and a signer that signs only what a permit covers.
//!
//! No private key or passphrase ever leaves this crate: not in a value, not in a message, not in a log.

pub mod abi;
mod address;
mod authorization;
mod clade_key;
mod cover;
mod error;
mod hex_text;
mod kdf;
mod key;
pub mod keystore;
mod not_covered;
mod passphrase;
mod private_file;
mod sealing;
mod signer;
mod wallets;

pub use address::{AddressFault, read_home};
pub use alloy_primitives::U256;
pub use authorization::{
    PaymentRefused, PaymentToken, SignedPayment, TransferWithAuthorization, parse_payee, parse_payment,
};
pub use clade_key::{CertifiedGolem, CladeKey};
pub use cover::{Caps, CoverPart, RouterKind, VenueAddresses};
pub use error::{Error, Exposed};
pub use kdf::SealStrength;
pub use key::{Key, address_of, derive_golem_key};
pub use not_covered::TxNotCovered;
pub use passphrase::{Passphrase, PassphraseSource};
pub use sealing::{SealKey, SealPublic, SealedBytes};
pub use signer::{Signed, Signer};
pub use wallets::{ListedWallet, Wallets, import};
