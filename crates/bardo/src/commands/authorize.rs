//! `bardo treasury authorize FILE`: a payment that was signed beforehand, checked field by field before anybody counts on it.

use super::treasury::refused;
use crate::auto;
use crate::cli::TreasuryAuthorize;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use golem_clade::succession::PaymentAuthorization;
use golem_core::{Timestamp, Usdc};
use golem_wallet::{PaymentToken, SignedPayment, parse_payee, parse_payment};
use serde_json::json;

/// The longest file that is read: a payment is a few hundred bytes.
const MOST: u64 = 16 * 1024;

/// Check it, and keep it.
pub fn run(args: &TreasuryAuthorize, home: &Home, out: &Out) -> Result<(), Fail> {
    let wrong =
        |what: String| Fail::hint(what, "give an x402 payment: {\"payload\": {\"signature\", \"authorization\"}}");
    let size = std::fs::metadata(&args.file).map_err(|e| wrong(format!("cannot read {}: {e}", args.file.display())))?;
    if size.len() > MOST {
        return Err(wrong(format!("{} has {} bytes, which is no payment", args.file.display(), size.len())));
    }
    let text = std::fs::read(&args.file).map_err(|e| wrong(format!("cannot read {}: {e}", args.file.display())))?;
    let payment: SignedPayment = parse_payment(&text).map_err(|e| wrong(format!("{}: {e}", args.file.display())))?;
    let address = |flag: &str, word: &str| {
        parse_payee(word).ok_or_else(|| Fail::hint(format!("{flag}: {word:?} is no address"), "0x and 40 hex digits"))
    };
    let (to, contract) = (address("--to", &args.to)?, address("--token", &args.token)?);
    let (name, version) = (args.token_name.clone(), args.token_version.clone());
    let token = PaymentToken { name, version, chain_id: args.chain_id, contract };
    let now = crate::clock::clock().now();
    let amount = payment.check(&token, to, u64::try_from(now.0).unwrap_or(0)).map_err(|why| {
        let hint = "have it signed anew: for this token, chain and recipient, and for a time that has begun";
        Fail::Refused(format!("the payment is not good: {why}"), Some(hint.to_owned()))
    })?;
    let words = &payment.words;
    let time = |s: golem_wallet::U256| Timestamp(i64::try_from(s).unwrap_or(i64::MAX).min(LATEST));
    let kept = PaymentAuthorization {
        from: words.from.to_string(),
        to: words.to.to_string(),
        amount: Usdc(amount),
        valid_after: time(words.validAfter),
        valid_before: time(words.validBefore),
        nonce: words.nonce.to_string(),
        asset: format!("eip155:{}/{contract}", args.chain_id),
        signature: payment.signature_text(),
        used_for: None,
    };
    let key = kept.key();
    let new = auto::change(home, |estate| estate.treasury.authorize(kept.clone()).map_err(refused))?;
    let told = json!({ "key": key, "new": new, "amount_micro_usdc": amount, "from": kept.from,
        "valid_after": kept.valid_after, "valid_before": kept.valid_before });
    out.result(&told, || match new {
        true => format!("{} USDC of {} can be taken until {}", kept.amount, kept.from, kept.valid_before),
        false => format!("this payment is kept already, until {}", kept.valid_before),
    })
}

/// The end of the year 9999: no calendar of ours goes further.
const LATEST: i64 = 253_402_300_799;
