//! Uniswap v2: the factory. Nobody trades there; the pair that the script deploys is made by it.

// The macro writes the items; what each means is said by the contracts' own documentation.
#![allow(missing_docs)]

use alloy_sol_types::sol;

sol! {
    #![sol(all_derives)]

    /// Makes pairs and knows where they are.
    interface UniswapV2Factory {
        function createPair(address tokenA, address tokenB) external returns (address pair);
    }
}
