//! Pins: the code of the venue's contracts and the decimals of its tokens, held against what they were at first contact
//! or what the owner says. What has changed is not traded on.

use super::config::{Addresses, Pinned};
use super::head::Head;
use super::node::Node;
use super::proxied::{Proxied, proxied};
use super::wire::{NodeAsk, decoded};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256, keccak256};
use golem_venue::VenueError;
use serde_json::json;

/// Decimals that the amounts of this house are in: USDC, the asset.
pub const DECIMALS: [u8; 2] = [6, 18];

/// Hashes of the code at some addresses, in one question and without carrying the code: a program that is never deployed
/// looks them up and returns them.
///
/// # Errors
/// When the nodes do not agree or do not answer.
pub fn code_hashes(node: &Node, head: &Head, addresses: &[Address]) -> Result<Vec<B256>, VenueError> {
    let ask = NodeAsk::new("eth_call", json!([{ "data": program(addresses) }, { "blockHash": head.hash }]));
    let said: Bytes = node.agreed_one(ask)?;
    let words: Vec<B256> = said.chunks_exact(32).map(B256::from_slice).collect();
    // The first word only keeps the answer from beginning with a byte that no code may begin with.
    match words.split_first() {
        Some((_, hashes)) if hashes.len() == addresses.len() => Ok(hashes.to_vec()),
        _ => Err(VenueError::Unreachable("the hashes of the contracts' code cannot be read".into())),
    }
}

fn program(addresses: &[Address]) -> Bytes {
    const PUSH20: u8 = 0x73;
    const EXTCODEHASH: u8 = 0x3f;
    const PUSH2: u8 = 0x61;
    const MSTORE: u8 = 0x52;
    const PUSH1: u8 = 0x60;
    const RETURN: u8 = 0xf3;
    let mut code = Vec::new();
    let mut at = 0u16;
    for address in addresses {
        at += 32;
        code.push(PUSH20);
        code.extend_from_slice(address.as_slice());
        code.extend_from_slice(&[EXTCODEHASH, PUSH2]);
        code.extend_from_slice(&at.to_be_bytes());
        code.push(MSTORE);
    }
    code.push(PUSH2);
    code.extend_from_slice(&(at + 32).to_be_bytes());
    code.extend_from_slice(&[PUSH1, 0, RETURN]);
    code.into()
}

/// One contract's pins. A contract that is no proxy has nothing behind it, and that is pinned as well; so is the beacon that
/// tells some proxies what to run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pin {
    name: &'static str,
    at: Address,
    code: Option<B256>,
    beacon: Option<B256>,
    behind: Option<B256>,
}

/// Code that was found at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFound {
    /// Under which name it is pinned.
    pub name: String,
    /// Where it is; nowhere when there is none behind a contract.
    pub at: Option<Address>,
    /// Its hash; zero when there is none.
    pub hash: B256,
}

/// What is pinned, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pins {
    code: Vec<Pin>,
}

/// The name under which the code behind a proxy is pinned.
fn behind(name: &str) -> String {
    format!("{name}.implementation")
}

/// The name under which the code of a proxy's beacon is pinned.
fn beacon(name: &str) -> String {
    format!("{name}.beacon")
}

impl Pins {
    /// What the owner says.
    #[must_use]
    pub fn of(addresses: &Addresses) -> Self {
        let pin = |(name, Pinned { at, code_hash, implementation_hash })| Pin {
            name,
            at,
            code: code_hash,
            beacon: None,
            behind: implementation_hash,
        };
        Self { code: addresses.all().into_iter().map(pin).collect() }
    }

    /// Pin what was met before, unless the owner says otherwise.
    pub fn remember(&mut self, name: &str, hash: B256) {
        for pin in &mut self.code {
            if pin.name == name {
                pin.code.get_or_insert(hash);
            } else if behind(pin.name) == name {
                pin.behind.get_or_insert(hash);
            } else if beacon(pin.name) == name {
                pin.beacon.get_or_insert(hash);
            }
        }
    }

    /// Hold the contracts at a block against their pins, and pin what is met for the first time; returns what was found.
    ///
    /// # Errors
    /// [`VenueError::Changed`] when a contract has other code than is pinned, or none, or runs other code as a proxy.
    pub fn hold(&mut self, node: &Node, head: &Head) -> Result<Vec<CodeFound>, VenueError> {
        let addresses: Vec<Address> = self.code.iter().map(|pin| pin.at).collect();
        let proxied = proxied(node, head, &addresses)?;
        let mut asked = addresses.clone();
        asked.extend(proxied.iter().flat_map(|p| p.beacon.iter().chain(&p.runs)));
        let mut hashes = code_hashes(node, head, &asked)?.into_iter();
        let own: Vec<B256> = hashes.by_ref().take(addresses.len()).collect();
        let mut all = Vec::new();
        for ((pin, hash), Proxied { beacon: tells, runs }) in self.code.iter_mut().zip(own).zip(proxied) {
            let (name, at) = (pin.name, pin.at);
            if hash.is_zero() || hash == KECCAK256_EMPTY {
                return Err(VenueError::Changed(format!("there is no code at {at}, where {name} should be")));
            }
            held(&mut pin.code, hash, || format!("{name} at {at} has the code"))?;
            all.push(CodeFound { name: name.to_owned(), at: Some(at), hash });
            let teller = tells.and_then(|_| hashes.next()).unwrap_or_default();
            held(&mut pin.beacon, teller, || {
                format!("{name} at {at} is a proxy, and the beacon it asks has the code")
            })?;
            all.push(CodeFound { name: beacon(name), at: tells, hash: teller });
            let inner = together(hashes.by_ref().take(runs.len()).collect());
            held(&mut pin.behind, inner, || format!("{name} at {at} is a proxy, and runs the code"))?;
            // Two together are the code of neither.
            let place = runs.first().copied().filter(|_| runs.len() == 1);
            all.push(CodeFound { name: behind(name), at: place, hash: inner });
        }
        Ok(all)
    }
}

/// One pin for whatever a contract may run.
fn together(hashes: Vec<B256>) -> B256 {
    match hashes[..] {
        [] => B256::ZERO,
        [one] => one,
        _ => keccak256(hashes.concat()),
    }
}

/// Hold a hash against its pin, or pin it.
fn held(pin: &mut Option<B256>, found: B256, what: impl Fn() -> String) -> Result<(), VenueError> {
    let pinned = *pin.get_or_insert(found);
    if pinned == found { Ok(()) } else { Err(VenueError::Changed(format!("{} {found}, not {pinned}", what()))) }
}

/// Read the decimals of both tokens at a block, and refuse tokens that count otherwise than this house does.
///
/// # Errors
/// [`VenueError::Changed`] when they do.
pub fn hold_decimals(node: &Node, head: &Head, addresses: &Addresses) -> Result<(), VenueError> {
    // decimals()
    let ask = |at| NodeAsk::new("eth_call", json!([{ "to": at, "data": "0x313ce567" }, { "blockHash": head.hash }]));
    let asks = [ask(addresses.usdc.at), ask(addresses.asset.at)];
    let said = node.agreed(&asks, &|_, answer| decoded::<Bytes>(answer))?;
    for ((name, wanted), word) in ["usdc", "asset"].into_iter().zip(DECIMALS).zip(said) {
        let found = <[u8; 32]>::try_from(word.as_ref()).ok().map(B256::from);
        if found != Some(B256::with_last_byte(wanted)) {
            let found = found.map_or_else(|| "nothing".to_owned(), |f| U256::from_be_bytes(f.0).to_string());
            return Err(VenueError::Changed(format!("{name} counts {found} decimals, not {wanted}")));
        }
    }
    Ok(())
}
