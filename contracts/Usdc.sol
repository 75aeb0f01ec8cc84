// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title A dollar token for chains of our own
/// @notice Six decimals, approval by signature (EIP-2612), transfer by signature (EIP-3009). Only the account that
/// deployed it can mint; nobody can freeze, charge, pause or upgrade anything.
contract Usdc {
    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    /// Upper half of the curve's order: a signature with a larger s has a twin, so it is refused.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    address public immutable minter;
    uint256 private immutable bornOn;
    bytes32 private immutable bornDomain;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;
    /// True once an authorization was used or cancelled.
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    constructor() {
        minter = msg.sender;
        bornOn = block.chainid;
        bornDomain = domain();
    }

    function mint(address to, uint256 value) external returns (bool) {
        require(msg.sender == minter, "USDC: only the minter");
        require(to != address(0), "USDC: to nobody");
        totalSupply += value;
        unchecked {
            // No balance can exceed the supply, which was checked.
            balanceOf[to] += value;
        }
        emit Transfer(address(0), to, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "USDC: allowance");
        if (allowed != type(uint256).max) {
            unchecked {
                allowance[from][msg.sender] = allowed - value;
            }
        }
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allow(msg.sender, spender, value);
        return true;
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline, "USDC: permit expired");
        bytes32 what = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        require(signer(what, v, r, s) == owner, "USDC: not the owner's signature");
        allow(owner, spender, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 kind = TRANSFER_WITH_AUTHORIZATION_TYPEHASH;
        bytes32 what = keccak256(abi.encode(kind, from, to, value, validAfter, validBefore, nonce));
        require(signer(what, v, r, s) == from, "USDC: not the payer's signature");
        spend(from, nonce, validAfter, validBefore);
        move(from, to, value);
    }

    /// Like the above, but only the payee can use it, so that nobody can send it ahead of the payee's own call.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(to == msg.sender, "USDC: only the payee");
        bytes32 kind = RECEIVE_WITH_AUTHORIZATION_TYPEHASH;
        bytes32 what = keccak256(abi.encode(kind, from, to, value, validAfter, validBefore, nonce));
        require(signer(what, v, r, s) == from, "USDC: not the payer's signature");
        spend(from, nonce, validAfter, validBefore);
        move(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 what = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
        require(signer(what, v, r, s) == authorizer, "USDC: not the payer's signature");
        require(!authorizationState[authorizer][nonce], "USDC: authorization used or cancelled");
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return block.chainid == bornOn ? bornDomain : domain();
    }

    function domain() private view returns (bytes32) {
        bytes32 nameHash = keccak256(bytes(name));
        bytes32 versionHash = keccak256(bytes(version));
        return keccak256(abi.encode(DOMAIN_TYPEHASH, nameHash, versionHash, block.chainid, address(this)));
    }

    function signer(bytes32 what, uint8 v, bytes32 r, bytes32 s) private view returns (address who) {
        require(uint256(s) <= HALF_ORDER && (v == 27 || v == 28), "USDC: malformed signature");
        who = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), what)), v, r, s);
        require(who != address(0), "USDC: malformed signature");
    }

    function spend(address from, bytes32 nonce, uint256 validAfter, uint256 validBefore) private {
        require(block.timestamp > validAfter, "USDC: authorization not yet valid");
        require(block.timestamp < validBefore, "USDC: authorization expired");
        require(!authorizationState[from][nonce], "USDC: authorization used or cancelled");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
    }

    function allow(address owner, address spender, uint256 value) private {
        require(spender != address(0), "USDC: approves nobody");
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function move(address from, address to, uint256 value) private {
        require(to != address(0), "USDC: to nobody");
        uint256 held = balanceOf[from];
        require(held >= value, "USDC: balance");
        unchecked {
            // Checked above; and no balance can exceed the supply.
            balanceOf[from] = held - value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}
