//! Uniswap v3's periphery 1.4: the swap router (the first one, with a deadline in its parameters), the second router
//! (`SwapRouter02`, whose deadline is its multicall's), the position manager and the two quoters.

// The macro writes the items; what each means is said by the contracts' own documentation.
#![allow(missing_docs)]

use alloy_sol_types::sol;

sol! {
    #![sol(all_derives)]

    /// Swaps, paid for by the caller's allowance.
    interface SwapRouter {
        struct ExactInputSingleParams {
            address tokenIn;
            address tokenOut;
            uint24 fee;
            address recipient;
            uint256 deadline;
            uint256 amountIn;
            uint256 amountOutMinimum;
            uint160 sqrtPriceLimitX96;
        }

        function factory() external view returns (address);
        function WETH9() external view returns (address);
        function exactInputSingle(
            ExactInputSingleParams calldata params
        ) external payable returns (uint256 amountOut);
        function multicall(bytes[] calldata data) external payable returns (bytes[] memory results);
        function refundETH() external payable;
        function unwrapWETH9(uint256 amountMinimum, address recipient) external payable;
        function sweepToken(address token, uint256 amountMinimum, address recipient) external payable;
    }

    /// The second router: no deadline in the parameters of a swap, but in the multicall around it. An amount of nothing means
    /// whatever the router holds, and the recipients 1 and 2 mean the caller and the router itself.
    interface SwapRouter02 {
        struct ExactInputSingle02Params {
            address tokenIn;
            address tokenOut;
            uint24 fee;
            address recipient;
            uint256 amountIn;
            uint256 amountOutMinimum;
            uint160 sqrtPriceLimitX96;
        }

        function factory() external view returns (address);
        function WETH9() external view returns (address);
        function positionManager() external view returns (address);
        function exactInputSingle(
            ExactInputSingle02Params calldata params
        ) external payable returns (uint256 amountOut);
        function multicall(
            uint256 deadline,
            bytes[] calldata data
        ) external payable returns (bytes[] memory results);
    }

    /// Liquidity positions as tokens of their own (ERC-721).
    interface NonfungiblePositionManager {
        event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1);
        event DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1);
        event Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1);

        struct MintParams {
            address token0;
            address token1;
            uint24 fee;
            int24 tickLower;
            int24 tickUpper;
            uint256 amount0Desired;
            uint256 amount1Desired;
            uint256 amount0Min;
            uint256 amount1Min;
            address recipient;
            uint256 deadline;
        }
        struct IncreaseLiquidityParams {
            uint256 tokenId;
            uint256 amount0Desired;
            uint256 amount1Desired;
            uint256 amount0Min;
            uint256 amount1Min;
            uint256 deadline;
        }
        struct DecreaseLiquidityParams {
            uint256 tokenId;
            uint128 liquidity;
            uint256 amount0Min;
            uint256 amount1Min;
            uint256 deadline;
        }
        struct CollectParams {
            uint256 tokenId;
            address recipient;
            uint128 amount0Max;
            uint128 amount1Max;
        }

        function factory() external view returns (address);
        function WETH9() external view returns (address);
        function name() external view returns (string);
        function totalSupply() external view returns (uint256);
        function balanceOf(address owner) external view returns (uint256);
        function ownerOf(uint256 tokenId) external view returns (address);
        function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
        function approve(address to, uint256 tokenId) external;
        function setApprovalForAll(address operator, bool approved) external;
        function transferFrom(address from, address to, uint256 tokenId) external;
        function positions(uint256 tokenId) external view returns (
            uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower,
            int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128,
            uint128 tokensOwed0, uint128 tokensOwed1
        );
        function mint(MintParams calldata params) external payable returns (
            uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1
        );
        function increaseLiquidity(IncreaseLiquidityParams calldata params) external payable returns (
            uint128 liquidity, uint256 amount0, uint256 amount1
        );
        function decreaseLiquidity(
            DecreaseLiquidityParams calldata params
        ) external payable returns (uint256 amount0, uint256 amount1);
        function collect(
            CollectParams calldata params
        ) external payable returns (uint256 amount0, uint256 amount1);
        function burn(uint256 tokenId) external payable;
        function multicall(bytes[] calldata data) external payable returns (bytes[] memory results);
        function refundETH() external payable;
        function unwrapWETH9(uint256 amountMinimum, address recipient) external payable;
        function sweepToken(address token, uint256 amountMinimum, address recipient) external payable;
    }

    /// The first quoter: an amount and nothing else.
    interface Quoter {
        function quoteExactInputSingle(
            address tokenIn, address tokenOut, uint24 fee, uint256 amountIn, uint160 sqrtPriceLimitX96
        ) external returns (uint256 amountOut);
    }

    /// The second quoter: also the price after, ticks crossed and gas.
    interface QuoterV2 {
        struct QuoteExactInputSingleParams {
            address tokenIn;
            address tokenOut;
            uint256 amountIn;
            uint24 fee;
            uint160 sqrtPriceLimitX96;
        }

        function quoteExactInputSingle(QuoteExactInputSingleParams memory params) external returns (
            uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate
        );
    }
}
