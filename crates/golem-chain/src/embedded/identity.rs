//! A registry of agents (ERC-8004) on a chain of our own: deployed when the first agent comes, each agent registered once by its URI.
//!
//! It belongs on a chain of its own. What is registered stands in no golem's record, so on the chain that golems trade on it would
//! make their histories differ from what is there.

use super::{ChainError, EmbeddedChain};
use crate::calls::Call;
use crate::contracts::identity_registry;
use crate::evm::{Ran, Tx};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, sol};
use golem_core::Usdc;
use golem_venue::Account;

sol! {
    contract IdentityRegistry {
        struct MetadataEntry {
            string key;
            bytes value;
        }
        function register(string tokenUri, MetadataEntry[] metadata) external returns (uint256 agentId);
        function getMetadata(uint256 agentId, string key) external view returns (bytes memory);
        function tokenURI(uint256 tokenId) external view returns (string memory);
        function ownerOf(uint256 tokenId) external view returns (address owner);
        function agentOf(bytes32 uri) external view returns (uint256 agentId);
    }
}

/// Gas for one registration: an agent with a handful of words.
const GAS: u64 = 5_000_000;

/// An agent as the registry knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredAgent {
    /// Who owns it.
    pub owner: Account,
    /// Its URI.
    pub uri: String,
    /// What was asked of its metadata, in the order asked.
    pub metadata: Vec<Vec<u8>>,
}

impl EmbeddedChain {
    /// Where the registry stands, or will.
    #[must_use]
    pub fn identity_registry(&self) -> Address {
        registrar().create(0)
    }

    /// Register an agent for an account, and say under which number; one that is registered keeps its own. It is not durable before
    /// [`EmbeddedChain::commit`].
    ///
    /// # Errors
    /// When the chain cannot be read or written, or the contract refuses.
    pub fn register_agent(
        &mut self,
        owner: Account,
        uri: &str,
        metadata: &[(String, Vec<u8>)],
    ) -> Result<u64, ChainError> {
        if let Some(known) = self.agent_of(uri)? {
            return Ok(known);
        }
        let registry = self.identity_registry();
        if self.code_of(registry)?.is_empty() {
            self.give_up_to(Account(registrar().into()), Usdc(1))?;
            self.as_registrant(registrar(), None, identity_registry().clone())?;
        }
        self.give_up_to(owner, Usdc(1))?;
        let entry = |(key, value): &(String, Vec<u8>)| IdentityRegistry::MetadataEntry {
            key: key.clone(),
            value: Bytes::from(value.clone()),
        };
        let metadata = metadata.iter().map(entry).collect();
        let call = Call::new(registry, &IdentityRegistry::registerCall { tokenUri: uri.to_owned(), metadata });
        let ran = self.as_registrant(owner.0.into(), Some(call.to), call.data)?;
        let agent = IdentityRegistry::registerCall::abi_decode_returns(&ran.output).map_err(unreadable)?;
        u64::try_from(agent).map_err(|_| ChainError::Bug("an agent without a number".to_owned()))
    }

    /// The number of an agent by its URI; none where it is not registered.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn agent_of(&mut self, uri: &str) -> Result<Option<u64>, ChainError> {
        let registry = self.identity_registry();
        if self.code_of(registry)?.is_empty() {
            return Ok(None);
        }
        let agent = self.ask_registry(&IdentityRegistry::agentOfCall { uri: keccak256(uri) })?;
        Ok(u64::try_from(agent).ok().filter(|agent| *agent > 0))
    }

    /// An agent, with what its metadata says under these keys.
    ///
    /// # Errors
    /// When there is none, or the chain cannot be read.
    pub fn agent(&mut self, number: u64, keys: &[&str]) -> Result<RegisteredAgent, ChainError> {
        let id = U256::from(number);
        let owner = self.ask_registry(&IdentityRegistry::ownerOfCall { tokenId: id })?;
        let uri = self.ask_registry(&IdentityRegistry::tokenURICall { tokenId: id })?;
        let mut metadata = Vec::new();
        for key in keys {
            let call = IdentityRegistry::getMetadataCall { agentId: id, key: (*key).to_owned() };
            metadata.push(self.ask_registry(&call)?.to_vec());
        }
        Ok(RegisteredAgent { owner: Account(owner.into()), uri, metadata })
    }

    fn ask_registry<C: SolCall>(&mut self, call: &C) -> Result<C::Return, ChainError> {
        let Call { to, data, .. } = Call::new(self.identity_registry(), call);
        let ran = self.call(&Tx { from: registrar(), to: Some(to), data, gas_limit: GAS, ..Tx::default() })?;
        match ran.success {
            true => C::abi_decode_returns(&ran.output).map_err(unreadable),
            false => Err(refused(&ran)),
        }
    }

    fn as_registrant(&mut self, from: Address, to: Option<Address>, data: Bytes) -> Result<Ran, ChainError> {
        let max_fee = u128::from(self.open_block().base_fee);
        let ran = self.send(&Tx { from, to, data, gas_limit: GAS, max_fee, ..Tx::default() }, None)?;
        if ran.success {
            return Ok(ran);
        }
        self.take_back()?;
        Err(refused(&ran))
    }
}

/// Who deploys the registry, on every chain the same.
fn registrar() -> Address {
    Address::from_word(keccak256("golem registrar"))
}

fn unreadable(e: alloy_sol_types::Error) -> ChainError {
    ChainError::Bug(format!("the registry's answer: {e}"))
}

fn refused(ran: &Ran) -> ChainError {
    let why = alloy_sol_types::decode_revert_reason(&ran.output).or(ran.halted.clone()).unwrap_or_default();
    ChainError::Bug(format!("the registry refuses: {why}"))
}
