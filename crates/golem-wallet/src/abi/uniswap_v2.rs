//! Uniswap v2: the factory, the pair and the router.

// The macro writes the items; what each means is said by the contracts' own documentation.
#![allow(missing_docs)]

use alloy_sol_types::sol;

sol! {
    #![sol(all_derives)]

    /// Makes pairs and knows where they are.
    interface UniswapV2Factory {
        function getPair(address tokenA, address tokenB) external view returns (address pair);
        function createPair(address tokenA, address tokenB) external returns (address pair);
    }

    /// One pair, which is also the ERC-20 of its own shares.
    interface UniswapV2Pair {
        event Approval(address indexed owner, address indexed spender, uint256 value);
        event Transfer(address indexed from, address indexed to, uint256 value);
        event Mint(address indexed sender, uint256 amount0, uint256 amount1);
        event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
        event Swap(
            address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out,
            address indexed to
        );

        function totalSupply() external view returns (uint256);
        function balanceOf(address owner) external view returns (uint256);
        function allowance(address owner, address spender) external view returns (uint256);
        function approve(address spender, uint256 value) external returns (bool);
        function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
        function mint(address to) external returns (uint256 liquidity);
        function burn(address to) external returns (uint256 amount0, uint256 amount1);
        function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
    }

    /// Swaps and liquidity, paid for by the caller's allowance.
    interface UniswapV2Router02 {
        function addLiquidity(
            address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin,
            uint256 amountBMin, address to, uint256 deadline
        ) external returns (uint256 amountA, uint256 amountB, uint256 liquidity);
        function removeLiquidity(
            address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to,
            uint256 deadline
        ) external returns (uint256 amountA, uint256 amountB);
        function swapExactTokensForTokens(
            uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline
        ) external returns (uint256[] memory amounts);
    }
}
