//! TLS at the door: a golem that trusts the certificate gets in, plain words and strangers' certificates do not.

use crate::client::{hear, say};
use crate::kit::{golem, identity, owner};
use crate::serving::run;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use std::sync::Arc;
use styx::clock::WallTime;
use styx::desk::RelayDesk;
use styx::shelf::ModelShelf;
use styx::store::ModelStore;
use styx::{RelayAddress, RelayStartFault, SOCKET_PATH};
use styx_wire::*;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::{client_async, connect_async};

const CERTIFICATE: &[u8] = include_bytes!("tls/cert.pem");
const KEY: &[u8] = include_bytes!("tls/key.pem");

fn desk() -> RelayDesk {
    RelayDesk {
        store: Arc::new(ModelStore::new(identity(1))),
        shelf: Arc::new(ModelShelf::default()),
        clock: Arc::new(WallTime),
        limits: RelayLimits::default(),
        public: false,
        owners: None,
        newcomers: Arc::default(),
    }
}

fn connector(trusting: bool) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    if trusting {
        roots.add(CertificateDer::from_pem_slice(CERTIFICATE).unwrap()).unwrap();
    }
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[test]
fn who_trusts_the_certificate_gets_in() {
    let tls = Some((CERTIFICATE.to_vec(), KEY.to_vec()));
    let server = styx::start(desk(), RelayAddress { tls, ..RelayAddress::loopback() }).unwrap();
    let at = server.address();
    run(async {
        let name = || ServerName::try_from("localhost").unwrap();
        let stream = TcpStream::connect(at).await.unwrap();
        let stream = connector(true).connect(name(), stream).await.unwrap();
        let mut socket = client_async(format!("ws://{at}{SOCKET_PATH}"), stream).await.unwrap().0;
        let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { panic!() };
        let (one, key) = (owner(1), golem(3));
        let hello = Hello::answer(&key, one.certify(&key), &challenge, &format!("localhost:{}", at.port()));
        say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
        assert!(matches!(hear(&mut socket).await, Some(RelayFrame::Welcome(_))));
        let stream = TcpStream::connect(at).await.unwrap();
        assert!(connector(false).connect(name(), stream).await.is_err(), "a certificate that nobody vouched for");
        assert!(connect_async(format!("ws://{at}{SOCKET_PATH}")).await.is_err(), "plain words");
    });
    server.stop();
}

#[test]
fn a_certificate_that_is_none_is_said_at_the_start() {
    for tls in [(b"none".to_vec(), KEY.to_vec()), (CERTIFICATE.to_vec(), CERTIFICATE.to_vec())] {
        let refused = styx::start(desk(), RelayAddress { tls: Some(tls), ..RelayAddress::loopback() }).err().unwrap();
        assert!(matches!(refused, RelayStartFault::Tls(_)) && refused.hint().is_some(), "{refused}");
    }
}
