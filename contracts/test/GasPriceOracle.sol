// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title What an OP-stack chain tells of its fees, with fees that a test sets
/// @notice The one function that is asked of the predeploy: what the bytes of an unsigned transaction cost on the chain below.
contract TestGasPriceOracle {
    uint256 public perTransaction;
    uint256 public perByte;

    function set(uint256 transaction_, uint256 byte_) external {
        perTransaction = transaction_;
        perByte = byte_;
    }

    function getL1Fee(bytes memory data) external view returns (uint256) {
        return perTransaction + perByte * data.length;
    }
}

/// @title What an Arbitrum node tells of its fees, with fees that a test sets
contract TestNodeInterface {
    uint64 public perTransaction;
    uint64 public perByte;

    function set(uint64 transaction_, uint64 byte_) external {
        perTransaction = transaction_;
        perByte = byte_;
    }

    function gasEstimateL1Component(address, bool, bytes calldata data)
        external
        payable
        returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)
    {
        return (perTransaction + perByte * uint64(data.length), block.basefee, 1);
    }
}
