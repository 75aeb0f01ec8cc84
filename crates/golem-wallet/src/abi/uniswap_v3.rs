//! Uniswap v3's core: the factory and the pool.

// The macro writes the items; what each means is said by the contracts' own documentation.
#![allow(missing_docs)]

use alloy_sol_types::sol;

sol! {
    #![sol(all_derives)]

    /// Makes pools and knows where they are.
    interface UniswapV3Factory {
        function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address pool);
        function createPool(address tokenA, address tokenB, uint24 fee) external returns (address pool);
    }

    /// One pool.
    interface UniswapV3Pool {
        event Mint(
            address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount,
            uint256 amount0, uint256 amount1
        );
        event Collect(
            address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper,
            uint128 amount0, uint128 amount1
        );
        event Burn(
            address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0,
            uint256 amount1
        );
        event Swap(
            address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96,
            uint128 liquidity, int24 tick
        );

        function factory() external view returns (address);
        function token0() external view returns (address);
        function token1() external view returns (address);
        function fee() external view returns (uint24);
        function tickSpacing() external view returns (int24);
        function slot0() external view returns (
            uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality,
            uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked
        );
        function feeGrowthGlobal0X128() external view returns (uint256);
        function feeGrowthGlobal1X128() external view returns (uint256);
        function liquidity() external view returns (uint128);
        function tickBitmap(int16 wordPosition) external view returns (uint256);
        function positions(bytes32 key) external view returns (
            uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128,
            uint128 tokensOwed0, uint128 tokensOwed1
        );
        function observations(uint256 index) external view returns (
            uint32 blockTimestamp, int56 tickCumulative, uint160 secondsPerLiquidityCumulativeX128, bool initialized
        );
        function observe(uint32[] calldata secondsAgos) external view returns (
            int56[] memory tickCumulatives, uint160[] memory secondsPerLiquidityCumulativeX128s
        );

        function initialize(uint160 sqrtPriceX96) external;
        function mint(
            address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes calldata data
        ) external returns (uint256 amount0, uint256 amount1);
        function collect(
            address recipient, int24 tickLower, int24 tickUpper, uint128 amount0Requested, uint128 amount1Requested
        ) external returns (uint128 amount0, uint128 amount1);
        function burn(
            int24 tickLower, int24 tickUpper, uint128 amount
        ) external returns (uint256 amount0, uint256 amount1);
        function swap(
            address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes calldata data
        ) external returns (int256 amount0, int256 amount1);
        function increaseObservationCardinalityNext(uint16 observationCardinalityNext) external;
    }
}
