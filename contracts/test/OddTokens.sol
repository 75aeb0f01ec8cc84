// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title The plain part of a token for tests
/// @notice Whoever calls can mint: it is worth nothing and meant for nothing but tests.
abstract contract PlainToken {
    string public constant name = "Odd";
    string public constant symbol = "ODD";
    uint256 public totalSupply;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function move(address from, address to, uint256 value) internal virtual;

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }
}

/// @title A token with any number of decimals: 0, 18 and 255 are where readers go wrong
contract DecimalsToken is PlainToken {
    uint8 public immutable decimals;
    mapping(address => uint256) public balanceOf;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function move(address from, address to, uint256 value) internal override {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// @title A token that keeps a share of every transfer: less arrives than was sent
contract FeeToken is PlainToken {
    uint8 public constant decimals = 6;
    uint256 public immutable feeBps;
    mapping(address => uint256) public balanceOf;

    constructor(uint256 feeBps_) {
        feeBps = feeBps_;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function move(address from, address to, uint256 value) internal override {
        uint256 fee = value * feeBps / 10_000;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        totalSupply -= fee;
        emit Transfer(from, to, value - fee);
        emit Transfer(from, address(0), fee);
    }
}

/// @title A token whose balances change by themselves: shares of a pot that anybody can rescale
contract RebasingToken is PlainToken {
    uint8 public constant decimals = 18;
    uint256 public scale = 1e18;
    mapping(address => uint256) public shares;

    function balanceOf(address who) public view returns (uint256) {
        return shares[who] * scale / 1e18;
    }

    function rebase(uint256 scale_) external {
        scale = scale_;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        shares[to] += value * 1e18 / scale;
        emit Transfer(address(0), to, value);
    }

    function move(address from, address to, uint256 value) internal override {
        uint256 part = value * 1e18 / scale;
        shares[from] -= part;
        shares[to] += part;
        emit Transfer(from, to, value);
    }
}
