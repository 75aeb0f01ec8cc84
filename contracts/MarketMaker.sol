// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

interface Token {
    function transfer(address to, uint256 value) external returns (bool);
}

interface Pool {
    function mint(address recipient, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
    function burn(int24 lower, int24 upper, uint128 liquidity) external returns (uint256, uint256);
    function collect(address recipient, int24 lower, int24 upper, uint128 most0, uint128 most1)
        external
        returns (uint128, uint128);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

interface Pair {
    function mint(address to) external returns (uint256);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
}

/// @title The market's hands
/// @notice Trades with one Uniswap v3 pool and one v2 pair from its own balance, in one cheap call each. Only the
/// account that deployed it can use it, and only the pool can ask it to pay.
contract MarketMaker {
    address private immutable owner;
    address private immutable pool;
    address private immutable pair;
    address private immutable token0;
    address private immutable token1;
    address private immutable dollar;

    /// Everything that an account was ever given.
    mapping(address => uint256) public given;

    constructor(address pool_, address pair_, address token0_, address token1_, address dollar_) {
        (owner, pool, pair, token0, token1, dollar) = (msg.sender, pool_, pair_, token0_, token1_, dollar_);
    }

    modifier ours() {
        require(msg.sender == owner, "market: not yours");
        _;
    }

    /// Make sure that an account was given so many dollars in all; whatever ether comes along goes to it too.
    function giveUpTo(address who, uint256 total) external payable ours {
        uint256 more = total - given[who];
        given[who] = total;
        Token(dollar).transfer(who, more);
        (bool taken,) = who.call{value: msg.value}("");
        require(taken, "market: not taken");
    }

    /// Swap in the pool: so much in, never past the limit.
    function swap(bool zeroForOne, int256 amount, uint160 limit) external ours returns (int256, int256) {
        return Pool(pool).swap(address(this), zeroForOne, amount, limit, "");
    }

    /// The same, after a swap in the pair that brings it near the pool.
    function swapBoth(bool zeroForOne, int256 amount, uint160 limit, uint256[2] calldata paid, uint256[2] calldata got)
        external
        ours
        returns (int256, int256)
    {
        if (paid[0] != 0) Token(token0).transfer(pair, paid[0]);
        if (paid[1] != 0) Token(token1).transfer(pair, paid[1]);
        Pair(pair).swap(got[0], got[1], address(this), "");
        return Pool(pool).swap(address(this), zeroForOne, amount, limit, "");
    }

    /// Add liquidity to the pool.
    function provide(int24 lower, int24 upper, uint128 liquidity) external ours returns (uint256, uint256) {
        return Pool(pool).mint(address(this), lower, upper, liquidity, "");
    }

    /// Take liquidity out of the pool, with all that is owed.
    function withdraw(int24 lower, int24 upper, uint128 liquidity) external ours returns (uint128, uint128) {
        Pool(pool).burn(lower, upper, liquidity);
        return Pool(pool).collect(address(this), lower, upper, type(uint128).max, type(uint128).max);
    }

    /// Add liquidity to the pair.
    function providePair(uint256 amount0, uint256 amount1) external ours returns (uint256) {
        Token(token0).transfer(pair, amount0);
        Token(token1).transfer(pair, amount1);
        return Pair(pair).mint(address(this));
    }

    function uniswapV3SwapCallback(int256 owed0, int256 owed1, bytes calldata) external {
        require(msg.sender == pool, "market: not the pool");
        if (owed0 > 0) Token(token0).transfer(pool, uint256(owed0));
        if (owed1 > 0) Token(token1).transfer(pool, uint256(owed1));
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata) external {
        require(msg.sender == pool, "market: not the pool");
        if (owed0 != 0) Token(token0).transfer(pool, owed0);
        if (owed1 != 0) Token(token1).transfer(pool, owed1);
    }
}
