//! The typed calls are those of the deployed contracts: selectors and event topics as explorers list them.

use alloy_primitives::{B256, b256, hex};
use alloy_sol_types::{SolCall, SolEvent};
use golem_wallet::abi::*;

#[test]
fn selectors_are_those_of_the_deployed_contracts() {
    use NonfungiblePositionManager as N;
    let table = [
        (Erc20::approveCall::SELECTOR, "095ea7b3"),
        (Erc20::transferCall::SELECTOR, "a9059cbb"),
        (Erc20::transferFromCall::SELECTOR, "23b872dd"),
        (Erc20::permitCall::SELECTOR, "d505accf"),
        (Erc20::noncesCall::SELECTOR, "7ecebe00"),
        (Erc20::transferWithAuthorizationCall::SELECTOR, "e3ee160e"),
        (Erc20::receiveWithAuthorizationCall::SELECTOR, "ef55bec6"),
        (Erc20::cancelAuthorizationCall::SELECTOR, "5a049a70"),
        (Weth9::depositCall::SELECTOR, "d0e30db0"),
        (Weth9::withdrawCall::SELECTOR, "2e1a7d4d"),
        (UniswapV3Factory::createPoolCall::SELECTOR, "a1671295"),
        (UniswapV3Factory::getPoolCall::SELECTOR, "1698ee82"),
        (UniswapV3Pool::initializeCall::SELECTOR, "f637731d"),
        (UniswapV3Pool::slot0Call::SELECTOR, "3850c7bd"),
        (UniswapV3Pool::liquidityCall::SELECTOR, "1a686502"),
        (UniswapV3Pool::tickBitmapCall::SELECTOR, "5339c296"),
        (UniswapV3Pool::positionsCall::SELECTOR, "514ea4bf"),
        (UniswapV3Pool::feeGrowthGlobal0X128Call::SELECTOR, "f3058399"),
        (UniswapV3Pool::feeGrowthGlobal1X128Call::SELECTOR, "46141319"),
        (UniswapV3Pool::observeCall::SELECTOR, "883bdbfd"),
        (UniswapV3Pool::swapCall::SELECTOR, "128acb08"),
        (UniswapV3Pool::increaseObservationCardinalityNextCall::SELECTOR, "32148f67"),
        (SwapRouter::exactInputSingleCall::SELECTOR, "414bf389"),
        (SwapRouter::multicallCall::SELECTOR, "ac9650d8"),
        (SwapRouter::refundETHCall::SELECTOR, "12210e8a"),
        (SwapRouter::unwrapWETH9Call::SELECTOR, "49404b7c"),
        (SwapRouter02::exactInputSingleCall::SELECTOR, "04e45aaf"),
        (SwapRouter02::multicallCall::SELECTOR, "5ae401dc"),
        (SwapRouter02::positionManagerCall::SELECTOR, "791b98bc"),
        (N::mintCall::SELECTOR, "88316456"),
        (N::increaseLiquidityCall::SELECTOR, "219f5d17"),
        (N::decreaseLiquidityCall::SELECTOR, "0c49ccbe"),
        (N::collectCall::SELECTOR, "fc6f7865"),
        (N::burnCall::SELECTOR, "42966c68"),
        (N::positionsCall::SELECTOR, "99fbab88"),
        (N::ownerOfCall::SELECTOR, "6352211e"),
        (N::tokenOfOwnerByIndexCall::SELECTOR, "2f745c59"),
        (N::multicallCall::SELECTOR, "ac9650d8"),
        (Quoter::quoteExactInputSingleCall::SELECTOR, "f7729d43"),
        (QuoterV2::quoteExactInputSingleCall::SELECTOR, "c6a5026a"),
        (UniswapV2Factory::createPairCall::SELECTOR, "c9c65396"),
    ];
    for (found, expected) in table {
        assert_eq!(hex::encode(found), expected);
    }
}

#[test]
fn topics_are_those_of_the_deployed_contracts() {
    let table: [(B256, B256); 9] = [
        (Erc20::Transfer::SIGNATURE_HASH, b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")),
        (Erc20::Approval::SIGNATURE_HASH, b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925")),
        (
            UniswapV3Pool::Swap::SIGNATURE_HASH,
            b256!("c42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"),
        ),
        (
            UniswapV3Pool::Mint::SIGNATURE_HASH,
            b256!("7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde"),
        ),
        (
            UniswapV3Pool::Burn::SIGNATURE_HASH,
            b256!("0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c"),
        ),
        (
            UniswapV3Pool::Collect::SIGNATURE_HASH,
            b256!("70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0"),
        ),
        (
            NonfungiblePositionManager::IncreaseLiquidity::SIGNATURE_HASH,
            b256!("3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f"),
        ),
        (
            NonfungiblePositionManager::DecreaseLiquidity::SIGNATURE_HASH,
            b256!("26f6a048ee9138f2c0ce266f322cb99228e8d619ae2bff30c67f8dcf9d2377b4"),
        ),
        (
            NonfungiblePositionManager::Collect::SIGNATURE_HASH,
            b256!("40d0efd1a53d60ecbf40971b9daf7dc90178c3aadc7aab1765632738fa8b8f01"),
        ),
    ];
    for (found, expected) in table {
        assert_eq!(found, expected);
    }
}
