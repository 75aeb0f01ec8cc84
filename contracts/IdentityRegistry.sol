// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title A registry of agents for chains of our own (ERC-8004, identity)
/// @notice The functions and events of the published interface, over a plain ERC-721 without receivers' hooks. An agent's URI is
/// registered once: asked for again it is refused, so that whoever heard no answer cannot make a second agent.
contract IdentityRegistry {
    struct MetadataEntry {
        string key;
        bytes value;
    }

    string public constant name = "Agent identities";
    string public constant symbol = "AGENT";

    /// Agents so far; the first has number 1.
    uint256 public count;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) private owners;
    mapping(uint256 => address) private approved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    mapping(uint256 => string) private uris;
    mapping(uint256 => mapping(string => bytes)) private metadataOf;
    /// The agent of a URI, by the URI's hash; 0 for none.
    mapping(bytes32 => uint256) public agentOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event Registered(uint256 indexed agentId, string tokenURI, address indexed owner);
    event MetadataSet(uint256 indexed agentId, string indexed indexedKey, string key, bytes value);
    event UriUpdated(uint256 indexed agentId, string newUri, address indexed updatedBy);

    function register() external returns (uint256 agentId) {
        agentId = make();
        emit Registered(agentId, "", msg.sender);
    }

    function register(string calldata tokenUri) external returns (uint256 agentId) {
        agentId = make();
        point(agentId, tokenUri);
        emit Registered(agentId, tokenUri, msg.sender);
    }

    function register(string calldata tokenUri, MetadataEntry[] calldata metadata) external returns (uint256 agentId) {
        agentId = make();
        point(agentId, tokenUri);
        emit Registered(agentId, tokenUri, msg.sender);
        for (uint256 i = 0; i < metadata.length; i++) {
            note(agentId, metadata[i].key, metadata[i].value);
        }
    }

    function getMetadata(uint256 agentId, string calldata key) external view returns (bytes memory) {
        return metadataOf[agentId][key];
    }

    function setMetadata(uint256 agentId, string calldata key, bytes calldata value) external {
        require(may(msg.sender, agentId), "AGENT: not its owner");
        note(agentId, key, value);
    }

    function setAgentUri(uint256 agentId, string calldata newUri) external {
        require(may(msg.sender, agentId), "AGENT: not its owner");
        delete agentOf[keccak256(bytes(uris[agentId]))];
        point(agentId, newUri);
        emit UriUpdated(agentId, newUri, msg.sender);
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        return uris[tokenId];
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = owners[tokenId];
        require(owner != address(0), "AGENT: nobody");
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return approved[tokenId];
    }

    function approve(address to, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], "AGENT: not its owner");
        approved[tokenId] = to;
        emit Approval(owner, to, tokenId);
    }

    function setApprovalForAll(address operator, bool yes) external {
        isApprovedForAll[msg.sender][operator] = yes;
        emit ApprovalForAll(msg.sender, operator, yes);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf(tokenId) == from, "AGENT: not its owner");
        require(may(msg.sender, tokenId), "AGENT: not its owner");
        require(to != address(0), "AGENT: to nobody");
        delete approved[tokenId];
        owners[tokenId] = to;
        unchecked {
            // Whoever owns one has at least one, and nobody can own more than there are.
            balanceOf[from]--;
            balanceOf[to]++;
        }
        emit Transfer(from, to, tokenId);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function may(address who, uint256 agentId) private view returns (bool) {
        address owner = ownerOf(agentId);
        return who == owner || approved[agentId] == who || isApprovedForAll[owner][who];
    }

    function make() private returns (uint256 agentId) {
        agentId = ++count;
        owners[agentId] = msg.sender;
        unchecked {
            // Nobody can own more than there are.
            balanceOf[msg.sender]++;
        }
        emit Transfer(address(0), msg.sender, agentId);
    }

    function point(uint256 agentId, string calldata uri) private {
        if (bytes(uri).length > 0) {
            bytes32 hash = keccak256(bytes(uri));
            require(agentOf[hash] == 0, "AGENT: registered already");
            agentOf[hash] = agentId;
        }
        uris[agentId] = uri;
    }

    function note(uint256 agentId, string calldata key, bytes calldata value) private {
        metadataOf[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }
}
