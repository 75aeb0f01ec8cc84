//! Payments that somebody signed beforehand (EIP-3009, as x402 carries them): every field is checked against what is wanted, and the
//! signature against the payer, before anybody counts on the money.

use alloy_primitives::{Address, B256, Signature, U256};
use alloy_sol_types::{Eip712Domain, SolStruct, sol};
use std::borrow::Cow;

sol! {
    /// The words that a payer signs.
    #[derive(Debug, PartialEq, Eq)]
    struct TransferWithAuthorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }
}

/// The token that a payment is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentToken {
    /// Its name, as its contract signs with.
    pub name: String,
    /// Its version, as its contract signs with.
    pub version: String,
    /// The chain.
    pub chain_id: u64,
    /// The contract.
    pub contract: Address,
}

/// A payment as it was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedPayment {
    /// What was signed.
    pub words: TransferWithAuthorization,
    /// The signature: r, s and v.
    pub signature: Vec<u8>,
}

/// A payment as x402 carries it.
#[derive(serde::Deserialize)]
struct Carried {
    payload: CarriedPayload,
}

#[derive(serde::Deserialize)]
struct CarriedPayload {
    signature: String,
    authorization: CarriedWords,
}

/// Numbers are text there, so that no reader rounds them.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CarriedWords {
    from: String,
    to: String,
    value: String,
    valid_after: String,
    valid_before: String,
    nonce: String,
}

/// An address as people write it.
#[must_use]
pub fn parse_payee(word: &str) -> Option<Address> {
    word.starts_with("0x").then(|| word.parse().ok()).flatten()
}

/// Read a payment from x402's JSON.
///
/// # Errors
/// With what does not fit.
pub fn parse_payment(json: &[u8]) -> Result<SignedPayment, String> {
    let Carried { payload } = serde_json::from_slice(json).map_err(|e| format!("no payment: {e}"))?;
    let CarriedWords { from, to, value, valid_after, valid_before, nonce } = payload.authorization;
    let address = |word: &str| parse_payee(word).ok_or_else(|| "an address is none".to_owned());
    let number = |word: &str| {
        let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let read = digits.then(|| U256::from_str_radix(word, 10).ok()).flatten();
        read.ok_or_else(|| "a number is none: numbers are written as text".to_owned())
    };
    let words = TransferWithAuthorization {
        from: address(&from)?,
        to: address(&to)?,
        value: number(&value)?,
        validAfter: number(&valid_after)?,
        validBefore: number(&valid_before)?,
        nonce: nonce.parse().map_err(|_| "the nonce is not 32 bytes".to_owned())?,
    };
    let signature =
        alloy_primitives::hex::decode(payload.signature).map_err(|_| "the signature is not hex".to_owned())?;
    Ok(SignedPayment { words, signature })
}

/// Why a payment is not good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaymentRefused {
    /// To somebody else.
    #[error("it pays {found}, and not {wanted}")]
    Recipient {
        /// Whom it pays.
        found: Address,
        /// Whom it should.
        wanted: Address,
    },
    /// Nothing, or more than can be counted.
    #[error("its amount is nothing, or more than can be counted")]
    Amount,
    /// Not good any more, or never.
    #[error("it is never good after this moment")]
    Window,
    /// No signature at all, or one that has a twin.
    #[error("its signature is malformed")]
    Malformed,
    /// Somebody else's signature, or other words than were signed.
    #[error("{found} signed it, or its words were changed; {wanted} should pay")]
    Signer {
        /// Whose signature that would be.
        found: Address,
        /// Who pays.
        wanted: Address,
    },
}

impl SignedPayment {
    /// The signature as text.
    #[must_use]
    pub fn signature_text(&self) -> String {
        alloy_primitives::hex::encode_prefixed(&self.signature)
    }

    /// The amount in the token's smallest unit, once every field is what is wanted: paid to this recipient, good at this moment or
    /// later, and signed by the payer over this token on this chain. Whether its nonce was used is for whoever keeps nonces.
    ///
    /// # Errors
    /// With the first field that is not.
    pub fn check(&self, token: &PaymentToken, recipient: Address, now_s: u64) -> Result<u64, PaymentRefused> {
        let words = &self.words;
        if words.to != recipient {
            return Err(PaymentRefused::Recipient { found: words.to, wanted: recipient });
        }
        let amount = u64::try_from(words.value).ok().filter(|n| *n > 0).ok_or(PaymentRefused::Amount)?;
        let over = words.validBefore <= U256::from(now_s).saturating_add(U256::from(1));
        if over || words.validAfter.saturating_add(U256::from(1)) >= words.validBefore {
            return Err(PaymentRefused::Window);
        }
        let signature = Signature::from_raw(&self.signature).map_err(|_| PaymentRefused::Malformed)?;
        // A signature with a larger s has a twin, and the token refuses it too; so does it any v but these.
        let v = self.signature.get(64).copied();
        if self.signature.len() != 65 || !matches!(v, Some(27 | 28)) || signature.normalize_s().is_some() {
            return Err(PaymentRefused::Malformed);
        }
        let hash: B256 = words.eip712_signing_hash(&token.domain());
        let found = signature.recover_address_from_prehash(&hash).map_err(|_| PaymentRefused::Malformed)?;
        if found != words.from || found == Address::ZERO {
            return Err(PaymentRefused::Signer { found, wanted: words.from });
        }
        Ok(amount)
    }
}

impl PaymentToken {
    fn domain(&self) -> Eip712Domain {
        let text = |text: &str| Some(Cow::Owned(text.to_owned()));
        let (name, version) = (text(&self.name), text(&self.version));
        Eip712Domain::new(name, version, Some(U256::from(self.chain_id)), Some(self.contract), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::address;
    use alloy_signer_local::PrivateKeySigner;
    use proptest::prelude::*;

    const TO: Address = address!("0x00000000000000000000000000000000000000bb");

    fn token() -> PaymentToken {
        PaymentToken {
            name: "USD Coin".to_owned(),
            version: "2".to_owned(),
            chain_id: 8_453,
            contract: address!("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
        }
    }

    fn signed(change: impl Fn(&mut TransferWithAuthorization)) -> SignedPayment {
        let key = crate::Key::of(&[5; 32]).unwrap();
        let mut words = TransferWithAuthorization {
            from: key.address(),
            to: TO,
            value: U256::from(50_000_000),
            validAfter: U256::from(100),
            validBefore: U256::from(200),
            nonce: B256::repeat_byte(9),
        };
        change(&mut words);
        let hash = words.eip712_signing_hash(&token().domain());
        // Another implementation signs.
        let (signature, recovery) = PrivateKeySigner::from_slice(&[5; 32])
            .unwrap()
            .into_credential()
            .sign_prehash_recoverable(&hash.0)
            .unwrap();
        let mut bytes = signature.to_bytes().to_vec();
        bytes.push(27 + recovery.to_byte());
        SignedPayment { words, signature: bytes }
    }

    #[test]
    fn a_payment_is_good_when_every_field_is() {
        let good = signed(|_| {});
        for now in [0, 100, 198] {
            assert_eq!(good.check(&token(), TO, now), Ok(50_000_000), "{now}");
        }
        for now in [199, 200, 201, u64::MAX] {
            assert_eq!(good.check(&token(), TO, now), Err(PaymentRefused::Window), "{now}");
        }
        assert!(matches!(good.check(&token(), Address::ZERO, 0), Err(PaymentRefused::Recipient { .. })));
        for (change, why) in [(U256::ZERO, PaymentRefused::Amount), (U256::MAX, PaymentRefused::Amount)] {
            assert_eq!(signed(|w| w.value = change).check(&token(), TO, 0), Err(why));
        }
        assert_eq!(signed(|w| w.validAfter = U256::from(199)).check(&token(), TO, 0), Err(PaymentRefused::Window));
        assert_eq!(signed(|w| w.validBefore = U256::MAX).check(&token(), TO, u64::MAX), Ok(50_000_000));
        let stranger = signed(|w| w.from = TO);
        assert!(matches!(stranger.check(&token(), TO, 0), Err(PaymentRefused::Signer { .. })));
    }

    #[test]
    fn a_payment_is_read_as_x402_carries_it() {
        let good = signed(|_| {});
        let w = &good.words;
        let text = |value: &str, nonce: &str| {
            format!(
                r#"{{"x402Version":1,"scheme":"exact","network":"base","payload":{{"signature":"{}","authorization":{{
                "from":"{}","to":"{}","value":{value},"validAfter":"100","validBefore":"200","nonce":"{nonce}"}}}}}}"#,
                good.signature_text(),
                w.from,
                w.to
            )
        };
        let nonce = w.nonce.to_string();
        assert_eq!(parse_payment(text("\"50000000\"", &nonce).as_bytes()).unwrap(), good);
        for (value, nonce) in
            [("50000000", nonce.as_str()), ("\"-1\"", &nonce), ("\"0x10\"", &nonce), ("\"1\"", "0x01")]
        {
            assert!(parse_payment(text(value, nonce).as_bytes()).is_err(), "{value} {nonce}");
        }
        assert!(parse_payment(b"{}").is_err() && parse_payment(b"").is_err());
    }

    #[test]
    fn another_token_chain_name_or_version_is_another_payment() {
        let good = signed(|_| {});
        for other in [
            PaymentToken { chain_id: 1, ..token() },
            PaymentToken { contract: TO, ..token() },
            PaymentToken { name: "USDC".to_owned(), ..token() },
            PaymentToken { version: "1".to_owned(), ..token() },
        ] {
            assert!(matches!(good.check(&other, TO, 0), Err(PaymentRefused::Signer { .. })), "{other:?}");
        }
    }

    #[test]
    fn a_twin_of_a_signature_is_refused() {
        let good = signed(|_| {});
        let order =
            U256::from_str_radix("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16).unwrap();
        let s = U256::from_be_slice(&good.signature[32..64]);
        let mut twin = good.signature.clone();
        twin[32..64].copy_from_slice(&(order - s).to_be_bytes::<32>());
        twin[64] = 27 + 28 - twin[64];
        assert_eq!(
            SignedPayment { signature: twin, ..good.clone() }.check(&token(), TO, 0),
            Err(PaymentRefused::Malformed)
        );
        for bytes in [Vec::new(), good.signature[..64].to_vec(), [good.signature.clone(), vec![0]].concat()] {
            let bad = SignedPayment { signature: bytes, ..good.clone() };
            assert_eq!(bad.check(&token(), TO, 0), Err(PaymentRefused::Malformed));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_changed_word_and_no_changed_byte_passes(at in 0usize..65, bit in 0u8..8, value in 1u64..u64::MAX, n in 0u8..255) {
            let good = signed(|_| {});
            let mut bytes = good.signature.clone();
            bytes[at] ^= 1 << bit;
            let altered = SignedPayment { signature: bytes, ..good.clone() };
            prop_assert!(altered.check(&token(), TO, 0).is_err());
            let mut words = good.words.clone();
            words.value = U256::from(value);
            words.nonce = B256::repeat_byte(n);
            if words.value != good.words.value || words.nonce != good.words.nonce {
                let altered = SignedPayment { words, ..good };
                prop_assert!(altered.check(&token(), TO, 0).is_err());
            }
        }
    }
}
