//! Ten thousand random changes to honest transactions. What may differ is reckoned here from byte offsets alone, with no
//! decoder: a later deadline, a smaller minimum, a larger allowance or any other byte must be refused, and what only
//! makes the transaction more careful must not be.

use super::*;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A word that may differ in one direction.
#[derive(Debug, Clone, Copy)]
enum Loose {
    Up(usize),
    Down(usize),
}

/// Which words of the calldata may differ, by their first byte.
fn loose(at: &VenueAddresses, action: &Action, part: CoverPart) -> Vec<Loose> {
    let word = |n: usize| 4 + 32 * n;
    match (action, part) {
        (_, CoverPart::AllowUsdc | CoverPart::AllowAsset) => vec![Loose::Down(word(1))],
        (Action::Buy { .. } | Action::Sell { .. }, _) if at.router_kind == RouterKind::V2 => {
            // The deadline, offset and length of the list, one offset, then length and bytes of the one call.
            vec![Loose::Down(word(0)), Loose::Up(word(5) + word(5))]
        }
        (Action::Buy { .. } | Action::Sell { .. }, _) => vec![Loose::Down(word(4)), Loose::Up(word(6))],
        (Action::Mint { position: None, .. }, _) => {
            vec![Loose::Up(word(7)), Loose::Up(word(8)), Loose::Down(word(10))]
        }
        (Action::Mint { .. }, _) => vec![Loose::Up(word(3)), Loose::Up(word(4)), Loose::Down(word(5))],
        (Action::Burn { close, .. }, _) => {
            // Selector, offset of the list, its length, one offset per call, then length and bytes of the first call.
            let first = word(2 + if *close { 3 } else { 2 } + 1);
            let inner = |n: usize| first + word(n);
            vec![Loose::Up(inner(2)), Loose::Up(inner(3)), Loose::Down(inner(4))]
        }
        (Action::Collect { .. } | Action::Home { .. } | Action::Unwrap { .. }, _) => vec![],
    }
}

/// Whether a changed transaction does no more than the honest one.
fn careful(honest: &TxEip1559, changed: &TxEip1559, loose: &[Loose]) -> bool {
    let gas = changed.gas_limit <= CAPS.gas_limit
        && changed.max_fee_per_gas <= CAPS.max_fee_per_gas
        && changed.max_priority_fee_per_gas <= changed.max_fee_per_gas;
    let rest = (changed.chain_id, changed.to, changed.value, changed.access_list.0.len())
        == (honest.chain_id, honest.to, honest.value, 0);
    let (old, new) = (&honest.input, &changed.input);
    if !gas || !rest || old.len() != new.len() {
        return false;
    }
    let mut forgiven = new.to_vec();
    for l in loose {
        let (Loose::Up(at) | Loose::Down(at)) = *l;
        let (was, is) = (U256::from_be_slice(&old[at..at + 32]), U256::from_be_slice(&new[at..at + 32]));
        if if matches!(l, Loose::Up(_)) { is >= was } else { is <= was } {
            forgiven[at..at + 32].copy_from_slice(&old[at..at + 32]);
        }
    }
    forgiven == **old
}

/// The same removal, where it closes the position, without giving the deed back: the same liquidity to the same account for
/// the same minima, and one call less.
pub(super) fn deed_kept(action: &Action) -> Option<Action> {
    match *action {
        Action::Burn { position, liquidity, min_out, min_asset, close: true } => {
            Some(Action::Burn { position, liquidity, min_out, min_asset, close: false })
        }
        _ => None,
    }
}

#[derive(Debug, Clone)]
enum Mutation {
    Byte(Index, u8),
    Word(Index, Filling),
    LooseWord(Index, Filling),
    Selector(Index),
    Cut(Index),
    Append(Vec<u8>),
    To(Index),
    Value(u128),
    ChainId(u64),
    Gas(u64),
    Fee(u128),
    Tip(u128),
    AccessList,
    OthersData(Index),
    Bundle(Rearranged),
}

#[derive(Debug, Clone)]
enum Filling {
    Random([u8; 32]),
    Small(u64),
    Address(Index),
    Plus(u64),
    Minus(u64),
    Times(u64),
    Max,
}

#[derive(Debug, Clone)]
enum Rearranged {
    Drop(Index),
    Twice(Index),
    Swapped(Index, Index),
    Inserted(Index, Index),
    Inner(Index, Index, u8),
}

fn filling() -> impl Strategy<Value = Filling> {
    prop_oneof![
        any::<[u8; 32]>().prop_map(Filling::Random),
        any::<u64>().prop_map(Filling::Small),
        any::<Index>().prop_map(Filling::Address),
        (1..1_000_u64).prop_map(Filling::Plus),
        (1..1_000_u64).prop_map(Filling::Minus),
        (0..2_000_u64).prop_map(Filling::Times),
        Just(Filling::Max),
    ]
}

fn change() -> impl Strategy<Value = Mutation> {
    let bundle = prop_oneof![
        any::<Index>().prop_map(Rearranged::Drop),
        any::<Index>().prop_map(Rearranged::Twice),
        any::<(Index, Index)>().prop_map(|(a, b)| Rearranged::Swapped(a, b)),
        any::<(Index, Index)>().prop_map(|(a, b)| Rearranged::Inserted(a, b)),
        (any::<Index>(), any::<Index>(), 1..=255_u8).prop_map(|(a, b, x)| Rearranged::Inner(a, b, x)),
    ];
    prop_oneof![
        6 => (any::<Index>(), 1..=255_u8).prop_map(|(i, x)| Mutation::Byte(i, x)),
        6 => (any::<Index>(), filling()).prop_map(|(i, f)| Mutation::Word(i, f)),
        4 => (any::<Index>(), filling()).prop_map(|(i, f)| Mutation::LooseWord(i, f)),
        2 => any::<Index>().prop_map(Mutation::Selector),
        1 => any::<Index>().prop_map(Mutation::Cut),
        1 => proptest::collection::vec(any::<u8>(), 1..70).prop_map(Mutation::Append),
        2 => any::<Index>().prop_map(Mutation::To),
        1 => any::<u128>().prop_map(Mutation::Value),
        1 => select(vec![0, 1, 31_336, 31_337, u64::MAX]).prop_map(Mutation::ChainId),
        1 => select(vec![0, CAPS.gas_limit, CAPS.gas_limit + 1, u64::MAX]).prop_map(Mutation::Gas),
        1 => select(vec![0, CAPS.max_fee_per_gas, CAPS.max_fee_per_gas + 1, u128::MAX]).prop_map(Mutation::Fee),
        1 => select(vec![0, 900, 901, u128::MAX]).prop_map(Mutation::Tip),
        1 => Just(Mutation::AccessList),
        2 => any::<Index>().prop_map(Mutation::OthersData),
        4 => bundle.prop_map(Mutation::Bundle),
    ]
}

fn fill(was: &[u8], filling: &Filling, at: &VenueAddresses) -> [u8; 32] {
    let was = U256::from_be_slice(was);
    match filling {
        Filling::Random(bytes) => *bytes,
        Filling::Small(n) => U256::from(*n).to_be_bytes(),
        Filling::Address(i) => i.get(&known(at)).into_word().0,
        Filling::Plus(n) => was.wrapping_add(U256::from(*n)).to_be_bytes(),
        Filling::Minus(n) => was.wrapping_sub(U256::from(*n)).to_be_bytes(),
        Filling::Times(n) => was.wrapping_mul(U256::from(*n)).to_be_bytes(),
        Filling::Max => [0xff; 32],
    }
}

fn known(at: &VenueAddresses) -> [Address; 8] {
    [THIEF, *ME, at.usdc, at.weth, at.pool, at.router, at.positions, Address::ZERO]
}

fn selectors() -> [[u8; 4]; 16] {
    [
        Erc20::transferCall::SELECTOR,
        Erc20::transferFromCall::SELECTOR,
        Erc20::approveCall::SELECTOR,
        Erc20::permitCall::SELECTOR,
        Weth9::withdrawCall::SELECTOR,
        SwapRouter::exactInputSingleCall::SELECTOR,
        // `exactOutputSingle` and `exactInput`: other swaps of the same router.
        [0xdb, 0x3e, 0x21, 0x98],
        [0xc0, 0x4b, 0x8d, 0x59],
        SwapRouter::multicallCall::SELECTOR,
        SwapRouter::sweepTokenCall::SELECTOR,
        SwapRouter02::exactInputSingleCall::SELECTOR,
        SwapRouter02::multicallCall::SELECTOR,
        Positions::mintCall::SELECTOR,
        Positions::decreaseLiquidityCall::SELECTOR,
        Positions::collectCall::SELECTOR,
        Positions::setApprovalForAllCall::SELECTOR,
    ]
}

/// Two changes meet: the first may have left a bundle of no calls, or calls of no bytes, in which nothing can be chosen.
fn rearrange(data: &mut Vec<Bytes>, how: &Rearranged, at: &VenueAddresses) {
    match how {
        Rearranged::Drop(_) | Rearranged::Twice(_) | Rearranged::Swapped(..) | Rearranged::Inner(..)
            if data.is_empty() => {}
        Rearranged::Drop(i) => drop(data.remove(i.index(data.len()))),
        Rearranged::Twice(i) => data.push(i.get(data).clone()),
        Rearranged::Swapped(a, b) => {
            let n = data.len();
            data.swap(a.index(n), b.index(n));
        }
        Rearranged::Inserted(to, what) => {
            let all: Vec<TxEip1559> = actions().iter().flat_map(|a| parts(at, a)).map(|(_, tx)| tx).collect();
            data.insert(to.index(data.len() + 1), what.get(&all).input.clone());
        }
        Rearranged::Inner(i, byte, x) => {
            let i = i.index(data.len());
            let mut inner = data[i].to_vec();
            if !inner.is_empty() {
                let byte = byte.index(inner.len());
                inner[byte] ^= x;
            }
            data[i] = inner.into();
        }
    }
}

fn apply(honest: &TxEip1559, change: &Mutation, loose: &[Loose], at: &VenueAddresses) -> TxEip1559 {
    let mut tx = honest.clone();
    let mut data = tx.input.to_vec();
    match change {
        Mutation::Byte(i, x) => {
            let i = i.index(data.len());
            data[i] ^= x;
        }
        Mutation::Word(i, filling) => {
            let from = 4 + 32 * i.index((data.len() - 4) / 32);
            let word = fill(&data[from..from + 32], filling, at);
            data[from..from + 32].copy_from_slice(&word);
        }
        Mutation::LooseWord(i, filling) if !loose.is_empty() => {
            let (Loose::Up(from) | Loose::Down(from)) = *i.get(loose);
            let word = fill(&data[from..from + 32], filling, at);
            data[from..from + 32].copy_from_slice(&word);
        }
        Mutation::LooseWord(..) => {}
        Mutation::Selector(i) => data[..4].copy_from_slice(&selectors()[i.index(16)]),
        Mutation::Cut(i) => data.truncate(i.index(data.len())),
        Mutation::Append(more) => data.extend_from_slice(more),
        Mutation::To(i) => tx.to = TxKind::Call(*i.get(&known(at))),
        Mutation::Value(v) => tx.value = U256::from(*v),
        Mutation::ChainId(id) => tx.chain_id = *id,
        Mutation::Gas(g) => tx.gas_limit = *g,
        Mutation::Fee(f) => tx.max_fee_per_gas = *f,
        Mutation::Tip(t) => tx.max_priority_fee_per_gas = *t,
        Mutation::AccessList => tx.access_list.0.push(Default::default()),
        Mutation::OthersData(i) => {
            let all: Vec<TxEip1559> = actions().iter().flat_map(|a| parts(at, a)).map(|(_, tx)| tx).collect();
            data = i.get(&all).input.to_vec();
        }
        Mutation::Bundle(how) => {
            if let Ok(mut call) = Positions::multicallCall::abi_decode(&data) {
                rearrange(&mut call.data, how, at);
                data = call.abi_encode();
            } else if let Ok(mut call) = SwapRouter02::multicallCall::abi_decode(&data) {
                rearrange(&mut call.data, how, at);
                data = call.abi_encode();
            }
        }
    }
    tx.input = data.into();
    tx
}

/// What every account may always do, reckoned from bytes: an allowance of nothing, or nothing at all to oneself.
fn moves_nothing(tx: &TxEip1559, at: &VenueAddresses) -> bool {
    let revoke = |spender: Address| Erc20::approveCall { spender, value: U256::ZERO }.abi_encode();
    let to_token = [at.usdc, at.weth].map(TxKind::Call).contains(&tx.to);
    let revoked = to_token && [at.router, at.positions].map(revoke).contains(&tx.input.to_vec());
    let cancelled = tx.to == TxKind::Call(*ME) && tx.input.is_empty();
    revoked || cancelled
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_transaction_is_signed_only_when_it_does_no_more(
        order in 0..4_usize,
        which in any::<Index>(),
        piece in any::<Index>(),
        changes in proptest::collection::vec(change(), 1..3),
    ) {
        let at = orders()[order];
        let action = *which.get(&actions());
        let (part, honest) = piece.get(&parts(&at, &action)).clone();
        let loose = loose(&at, &action, part);
        let mut changed = honest.clone();
        for change in &changes {
            if changed.input.len() != honest.input.len() {
                break;
            }
            changed = apply(&changed, change, &loose, &at);
        }
        let outcome = signer(at, &[action]).sign(&action, changed.clone(), &CAPS);
        let unheard = TxEip1559 { to: honest.to, input: honest.input.clone(), ..changed.clone() };
        let harmless = moves_nothing(&changed, &at) && careful(&honest, &unheard, &loose);
        // Of two allowances of one action each may be taken for the other where it is no larger. What closes a position may
        // leave its empty deed behind.
        let less = [Some(action), deed_kept(&action)].into_iter().flatten();
        let sibling = less.into_iter().any(|action| {
            let loose = |p| super::mutations::loose(&at, &action, p);
            parts(&at, &action).iter().any(|(p, tx)| careful(tx, &changed, &loose(*p)))
        });
        prop_assert_eq!(outcome.is_ok(), sibling || harmless, "{:?}: {:?}", changes, outcome);
    }
}
