//! A transaction as the EVM takes it, and how it ended: the same for a chain of our own and for a fork of somebody's. The
//! hardfork is Prague, always and explicitly; tests against other nodes say so too.

use alloy_primitives::{Address, B256, Bytes, Log, TxKind, U256};
use revm::context::TxEnv;
use revm::context::result::{ExecutionResult, Output};
use revm::context::transaction::{AccessList, AccessListItem};
use revm::primitives::hardfork::SpecId;

/// The rules that transactions run by.
pub const HARDFORK: SpecId = SpecId::PRAGUE;
/// A transaction to be run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tx {
    /// Who sends it.
    pub from: Address,
    /// The contract or account it goes to; none makes a contract.
    pub to: Option<Address>,
    /// Ether that goes with it.
    pub value: U256,
    /// What it says.
    pub data: Bytes,
    /// Gas it may use at most.
    pub gas_limit: u64,
    /// The sender's count of transactions; none takes whatever it is.
    pub nonce: Option<u64>,
    /// What it pays for a unit of gas at most.
    pub max_fee: u128,
    /// What of that goes to whoever makes the block.
    pub tip: u128,
    /// Accounts and slots that it announces.
    pub access: Vec<(Address, Vec<B256>)>,
}

/// How a transaction ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// True unless it reverted or ran out of gas.
    pub success: bool,
    /// Gas it used.
    pub gas_used: u64,
    /// What it returned, or why it reverted.
    pub output: Bytes,
    /// What it logged; nothing when it reverted.
    pub logs: Vec<Log>,
    /// The contract it made.
    pub created: Option<Address>,
    /// Why it stopped without a word, if so: out of gas, a bad instruction.
    pub halted: Option<String>,
}

/// A transaction as the machine takes it.
pub(crate) fn tx_env(tx: &Tx, nonce: u64, chain_id: u64) -> TxEnv {
    let item =
        |(address, keys): &(Address, Vec<B256>)| AccessListItem { address: *address, storage_keys: keys.clone() };
    TxEnv {
        tx_type: 2,
        caller: tx.from,
        gas_limit: tx.gas_limit,
        gas_price: tx.max_fee,
        gas_priority_fee: Some(tx.tip),
        kind: tx.to.map_or(TxKind::Create, TxKind::Call),
        value: tx.value,
        data: tx.data.clone(),
        nonce,
        chain_id: Some(chain_id),
        access_list: AccessList(tx.access.iter().map(item).collect()),
        ..TxEnv::default()
    }
}

/// How the machine says that it ended.
pub(crate) fn ran(result: ExecutionResult) -> Ran {
    let gas_used = result.gas().tx_gas_used();
    match result {
        ExecutionResult::Success { logs, output, .. } => {
            let created = if let Output::Create(_, address) = &output { *address } else { None };
            Ran { success: true, gas_used, output: output.into_data(), logs, created, halted: None }
        }
        ExecutionResult::Revert { output, .. } => {
            Ran { success: false, gas_used, output, logs: Vec::new(), created: None, halted: None }
        }
        ExecutionResult::Halt { reason, .. } => Ran {
            success: false,
            gas_used,
            output: Bytes::new(),
            logs: Vec::new(),
            created: None,
            halted: Some(format!("{reason:?}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::address;
    use revm::database::{CacheDB, EmptyDB};
    use revm::state::{AccountInfo, Bytecode};
    use revm::{Context, ExecuteEvm, MainBuilder, MainContext};

    const FROM: Address = address!("00000000000000000000000000000000000000f0");
    const AT: Address = address!("00000000000000000000000000000000000000c0");

    fn run(code: &[u8], tx: &Tx) -> Ran {
        let mut db = CacheDB::new(EmptyDB::default());
        let account = |code: &[u8]| AccountInfo::from_bytecode(Bytecode::new_raw(Bytes::copy_from_slice(code)));
        db.insert_account_info(AT, account(code));
        db.insert_account_info(FROM, AccountInfo { balance: U256::MAX, ..AccountInfo::default() });
        let mut evm = Context::mainnet()
            .with_db(db)
            .modify_cfg_chained(|cfg| cfg.set_spec_and_mainnet_gas_params(HARDFORK))
            .build_mainnet();
        ran(evm.transact(tx_env(tx, 0, 1)).expect("a transaction").result)
    }

    /// Every way in which a transaction can end, and what is told of it.
    #[test]
    fn the_table_of_ends() {
        type End<'a> = (bool, Bytes, usize, bool, Option<&'a str>);
        let call = Tx { from: FROM, to: Some(AT), gas_limit: 100_000, ..Tx::default() };
        let make = Tx { to: None, data: Bytes::from_static(&[0x60, 1, 0x60, 0, 0xf3]), ..call.clone() };
        let with_list = Tx { access: vec![(AT, vec![B256::ZERO])], ..call.clone() };
        let word = |n: u8| Bytes::copy_from_slice(B256::with_last_byte(n).as_slice());
        // Code, transaction: success, output, logs, whether a contract was made, why it stopped without a word.
        let (log, give) = ([0x5f, 0x5f, 0xa0].as_slice(), [0x60, 7, 0x5f, 0x52, 0x60, 32, 0x5f].as_slice());
        let cases: [(&str, Vec<u8>, &Tx, End<'_>); 6] = [
            ("nothing", vec![], &call, (true, Bytes::new(), 0, false, None)),
            ("returns", [give, &[0xf3]].concat(), &call, (true, word(7), 0, false, None)),
            ("logs", [log, log].concat(), &call, (true, Bytes::new(), 2, false, None)),
            ("reverts", [log, give, &[0xfd]].concat(), &call, (false, word(7), 0, false, None)),
            ("no such instruction", vec![0xfe], &call, (false, Bytes::new(), 0, false, Some("InvalidFEOpcode"))),
            ("makes a contract", vec![], &make, (true, Bytes::from_static(&[0]), 0, true, None)),
        ];
        for (name, code, tx, expected) in cases {
            let Ran { success, output, logs, created, halted, gas_used } = run(&code, tx);
            let found = (success, output, logs.len(), created.is_some(), halted.as_deref());
            assert_eq!(found, expected, "{name}");
            assert!(gas_used >= 21_000 && gas_used <= tx.gas_limit, "{name}: {gas_used}");
        }
        let hungry = run(&[0x5b, 0x5f, 0x56], &call);
        assert!(!hungry.success && hungry.gas_used == call.gas_limit, "a loop ends with its gas: {hungry:?}");
        assert!(hungry.halted.as_deref().is_some_and(|why| why.starts_with("OutOfGas")), "{hungry:?}");
        assert_eq!(run(&[], &with_list).gas_used - run(&[], &call).gas_used, 2_400 + 1_900, "what it announces costs");
    }
}
