//! A relay with TLS: who trusts its certificate speaks with it, and nobody else is spoken to.

use crate::kit::{Golem, Relay};
use golem_ferry::{DialFault, FerryPassenger, RelayUrl, crossed_once};
use golem_wallet::CladeKey;

const CERTIFICATE: &[u8] = include_bytes!("../../../styx/tests/it/tls/cert.pem");
const KEY: &[u8] = include_bytes!("../../../styx/tests/it/tls/key.pem");

#[test]
fn who_trusts_the_certificate_is_heard_and_who_does_not_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::with_tls(&dir.path().join("relay"), Some((CERTIFICATE.to_vec(), KEY.to_vec())));
    let plain = Relay::begin(&dir.path().join("plain"));
    let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
    let (a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    let url = |port: u16| format!("wss://localhost:{port}").parse::<RelayUrl>().unwrap();
    let trusting = |port: u16| url(port).trusting(CERTIFICATE).unwrap();
    let to =
        |golem: &Golem, relay: RelayUrl| crossed_once(FerryPassenger { relay, ..golem.passenger(&owner, 1) }, |_| {});
    a.tells(0);
    for golem in [&a, &b] {
        to(golem, trusting(relay.port)).unwrap();
    }
    assert_eq!(b.inbox().len(), 1);
    // The system does not vouch for it; plain words on either side.
    for (relay, why) in [(url(relay.port), "no trust"), (trusting(plain.port), "no TLS")] {
        let fault = to(&a, relay).unwrap_err();
        assert!(matches!(fault, DialFault::Tls(_)) && fault.hint().is_some(), "{why}: {fault}");
    }
    let spoken: RelayUrl = format!("ws://localhost:{}", relay.port).parse().unwrap();
    assert!(matches!(to(&a, spoken), Err(DialFault::Away(_))));
}

#[test]
fn a_relay_that_shows_a_certificate_of_another_name_is_not_spoken_to() {
    const OTHER: &[u8] = include_bytes!("../../../styx/tests/it/tls/other_cert.pem");
    const OTHER_KEY: &[u8] = include_bytes!("../../../styx/tests/it/tls/other_key.pem");
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::with_tls(&dir.path().join("relay"), Some((OTHER.to_vec(), OTHER_KEY.to_vec())));
    let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
    let a = Golem::born(dir.path(), "a");
    a.tells(0);
    for host in ["localhost", "127.0.0.1"] {
        let url: RelayUrl = format!("wss://{host}:{}", relay.port).parse().unwrap();
        // It is trusted, and it is not whom the golem dialled.
        let relay = url.trusting(OTHER).unwrap();
        let fault = crossed_once(FerryPassenger { relay, ..a.passenger(&owner, 1) }, |_| {}).unwrap_err();
        assert!(matches!(&fault, DialFault::Tls(why) if why.contains("relay.example.org")), "{fault}");
    }
}

#[test]
fn a_file_without_a_certificate_is_said() {
    let url = || "wss://example.com:443".parse::<RelayUrl>().unwrap();
    for pem in [&b""[..], b"none", KEY, b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(matches!(url().trusting(pem), Err(DialFault::Roots(_))), "{}", String::from_utf8_lossy(pem));
    }
}
