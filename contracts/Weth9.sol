// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title The chain's own coin as a token
/// @notice Behaves like WETH9, which routers and position managers expect: deposit and withdraw one to one, events
/// Deposit and Withdrawal, a plain payment is a deposit, and an allowance of all ones is never used up.
contract Weth9 {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Approval(address indexed src, address indexed guy, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        uint256 held = balanceOf[msg.sender];
        require(held >= wad, "WETH: balance");
        unchecked {
            balanceOf[msg.sender] = held - wad;
        }
        // Booked before it is paid, so that the receiver cannot come back in between.
        (bool paid,) = msg.sender.call{value: wad}("");
        require(paid, "WETH: not taken");
        emit Withdrawal(msg.sender, wad);
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function approve(address guy, uint256 wad) external returns (bool) {
        allowance[msg.sender][guy] = wad;
        emit Approval(msg.sender, guy, wad);
        return true;
    }

    function transfer(address dst, uint256 wad) external returns (bool) {
        return transferFrom(msg.sender, dst, wad);
    }

    function transferFrom(address src, address dst, uint256 wad) public returns (bool) {
        uint256 held = balanceOf[src];
        require(held >= wad, "WETH: balance");
        if (src != msg.sender) {
            uint256 allowed = allowance[src][msg.sender];
            if (allowed != type(uint256).max) {
                require(allowed >= wad, "WETH: allowance");
                unchecked {
                    allowance[src][msg.sender] = allowed - wad;
                }
            }
        }
        unchecked {
            // Checked above; and no balance can exceed all ether there is.
            balanceOf[src] = held - wad;
            balanceOf[dst] += wad;
        }
        emit Transfer(src, dst, wad);
        return true;
    }
}
