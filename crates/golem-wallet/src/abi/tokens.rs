//! Tokens: ERC-20 with permits (EIP-2612) and signed transfers (EIP-3009), and wrapped ether.

// The macro writes the items; what each means is said by the standards it follows.
#![allow(missing_docs)]

use alloy_sol_types::sol;

sol! {
    #![sol(all_derives)]

    /// ERC-20, EIP-2612 and EIP-3009.
    interface Erc20 {
        event Transfer(address indexed from, address indexed to, uint256 value);
        event Approval(address indexed owner, address indexed spender, uint256 value);

        function name() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address account) external view returns (uint256);
        function allowance(address owner, address spender) external view returns (uint256);
        function transfer(address to, uint256 value) external returns (bool);
        function transferFrom(address from, address to, uint256 value) external returns (bool);
        function approve(address spender, uint256 value) external returns (bool);

        function nonces(address owner) external view returns (uint256);
        function permit(
            address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s
        ) external;

        function transferWithAuthorization(
            address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
            uint8 v, bytes32 r, bytes32 s
        ) external;
        function receiveWithAuthorization(
            address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
            uint8 v, bytes32 r, bytes32 s
        ) external;
        function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;
    }

    /// Wrapped ether: what it adds to ERC-20.
    interface Weth9 {
        event Withdrawal(address indexed src, uint256 wad);

        function deposit() external payable;
        function withdraw(uint256 wad) external;
    }
}
