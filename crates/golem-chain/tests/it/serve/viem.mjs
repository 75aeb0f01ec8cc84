// A session with viem: fund, approve, swap, read what was logged and what was there before, and be refused.
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const require = createRequire(process.env.TOOLS + "/session.js");
const viem = require("viem");
const { privateKeyToAccount } = require("viem/accounts");
const places = JSON.parse(process.env.PLACES);

const chain = viem.defineChain({
  id: 31337,
  name: "embedded",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [process.env.URL] } },
});
const transport = viem.http(process.env.URL, { retryCount: 0 });
const account = privateKeyToAccount(process.env.KEY);
const node = viem.createPublicClient({ chain, transport, pollingInterval: 20 });
const wallet = viem.createWalletClient({ account, chain, transport });
const erc20 = viem.erc20Abi;
const routerAbi = viem.parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Params params) payable returns (uint256 amountOut)",
]);
const poolAbi = viem.parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)",
]);
const balance = (token, blockNumber) =>
  node.readContract({ address: token, abi: erc20, functionName: "balanceOf", args: [account.address], blockNumber });
const mined = (hash) => node.waitForTransactionReceipt({ hash, timeout: 10_000 });

assert.equal(await node.getChainId(), 31337);
const beginning = await node.getBlockNumber();
const funded = await node.request({ method: "bardo_fundAccount", params: [account.address, "0x2540be400"] });
assert.equal((await mined(funded)).status, "success");
assert.equal(await node.request({ method: "bardo_fundAccount", params: [account.address, "0x2540be400"] }), null);
assert.equal(await balance(places.usdc), 10_000_000_000n);
assert.equal(await balance(places.usdc, beginning), 0n);

const amount = 2_500_000_000n;
const approval = await node.simulateContract({
  account, address: places.usdc, abi: erc20, functionName: "approve", args: [places.router, amount],
});
const approved = await mined(await wallet.writeContract(approval.request));
const [said] = viem.parseEventLogs({ abi: erc20, logs: approved.logs, eventName: "Approval" });
assert.equal(said.args.value, amount);
assert.equal(said.args.spender, viem.getAddress(places.router));

const now = (await node.getBlock()).timestamp;
const order = (amountOutMinimum) => ({
  account, address: places.router, abi: routerAbi, functionName: "exactInputSingle",
  args: [{
    tokenIn: places.usdc, tokenOut: places.weth, fee: 500, recipient: account.address, deadline: now + 600n,
    amountIn: amount, amountOutMinimum, sqrtPriceLimitX96: 0n,
  }],
});
await assert.rejects(node.simulateContract(order(10n ** 19n)), (e) => /Too little received/.test(e.message));
const swap = await node.simulateContract(order(0n));
assert.ok(swap.result > 9n * 10n ** 17n && swap.result < 10n ** 18n, `${swap.result}`);
const before = await node.getBlockNumber();
const swapped = await mined(await wallet.writeContract(swap.request));
assert.equal(swapped.status, "success");
assert.equal(await balance(places.weth), swap.result);
assert.equal(await balance(places.usdc), 10_000_000_000n - amount);
const [event] = viem.parseEventLogs({ abi: poolAbi, logs: swapped.logs, eventName: "Swap" });
assert.equal(event.args.amount0, amount);
assert.equal(event.args.amount1, -swap.result);

// The past is still there, by number, by hash, and for calls.
assert.equal(await balance(places.weth, before), 0n);
assert.equal(await balance(places.usdc, before), 10_000_000_000n);
const price = async (blockNumber) =>
  (await node.readContract({ address: places.pool, abi: poolAbi, functionName: "slot0", blockNumber }))[0];
assert.ok((await price(swapped.blockNumber)) < (await price(before)));
assert.equal(await price(swapped.blockNumber), event.args.sqrtPriceX96);
const whole = await node.getBlock({ blockNumber: swapped.blockNumber, includeTransactions: true });
assert.equal(whole.hash, swapped.blockHash);
assert.equal(whole.transactions[0].hash, swapped.transactionHash);
assert.equal(whole.gasUsed, swapped.gasUsed);
assert.equal((await node.getBlock({ blockHash: whole.hash })).number, swapped.blockNumber);
assert.equal(whole.parentHash, (await node.getBlock({ blockNumber: before })).hash);
const logged = viem.getAbiItem({ abi: poolAbi, name: "Swap" });
const found = await node.getLogs({ address: places.pool, event: logged, fromBlock: 1n, toBlock: "latest" });
assert.deepEqual(found.map((log) => log.transactionHash), [swapped.transactionHash]);
assert.equal(found[0].logIndex, event.logIndex);

// Every kind of transaction that is taken, a contract of one's own, and gas.
for (const type of ["legacy", "eip2930", "eip1559"]) {
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n, type });
  const receipt = await mined(hash);
  assert.equal(receipt.type, type);
  assert.equal(receipt.effectiveGasPrice >= (await node.getBlock()).baseFeePerGas, true);
  assert.equal((await node.getTransaction({ hash })).type, type);
}
const bytecode = "0x600a600c600039600a6000f3602a60005260206000f3";
const made = await mined(await wallet.deployContract({ abi: [], bytecode }));
assert.equal(await node.getCode({ address: made.contractAddress }), "0x602a60005260206000f3");
assert.equal(BigInt((await node.call({ to: made.contractAddress })).data), 42n);
assert.equal(await node.estimateGas({ account, to: account.address, value: 1n }), 21000n);
assert.equal(await node.getTransactionCount({ address: account.address }), 6);
const fees = await node.estimateFeesPerGas();
assert.ok(fees.maxFeePerGas > 0n);
const history = await node.getFeeHistory({ blockCount: 3, rewardPercentiles: [10, 90] });
assert.equal(history.baseFeePerGas.length, 4);

// A transaction that reverts is mined, and says so.
const late = viem.encodeFunctionData({ abi: routerAbi, functionName: "exactInputSingle", args: order(10n ** 19n).args });
const failed = await mined(await wallet.sendTransaction({ to: places.router, data: late, gas: 500_000n }));
assert.equal(failed.status, "reverted");
assert.equal(failed.logs.length, 0);

await assert.rejects(wallet.sendTransaction({ to: account.address, nonce: 0 }), (e) => e.walk((x) => x.name === "NonceTooLowError") !== null);
await assert.rejects(
  wallet.sendTransaction({ to: account.address, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n, gas: 21000n }),
  (e) => e.walk((x) => x.name === "FeeCapTooLowError") !== null,
);
await assert.rejects(
  wallet.sendTransaction({ to: account.address, value: 10n ** 40n, gas: 21000n }),
  (e) => e.walk((x) => x.name === "InsufficientFundsError") !== null,
);
await assert.rejects(node.request({ method: "eth_newFilter", params: [{}] }), (e) => e.code === -32601);
console.log("all as it should be");
