// A session with ethers, which sends its calls in batches: fund, approve, swap, look back, and be refused.
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const require = createRequire(process.env.TOOLS + "/session.js");
const ethers = require("ethers");
const places = JSON.parse(process.env.PLACES);

const node = new ethers.JsonRpcProvider(process.env.URL, undefined, { polling: true, pollingInterval: 20, cacheTimeout: -1 });
const wallet = new ethers.Wallet(process.env.KEY, node);
const erc20 = [
  "function balanceOf(address) view returns (uint256)",
  "function approve(address, uint256) returns (bool)",
  "event Approval(address indexed owner, address indexed spender, uint256 value)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
];
const usdc = new ethers.Contract(places.usdc, erc20, wallet);
const weth = new ethers.Contract(places.weth, erc20, wallet);
const router = new ethers.Contract(places.router, [
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
], wallet);

assert.equal((await node.getNetwork()).chainId, 31337n);
await node.send("bardo_fundAccount", [wallet.address, "0x2540be400"]);
const funded = await node.getBlockNumber();
const [dollars, ether, nonce] = await Promise.all([
  usdc.balanceOf(wallet.address), node.getBalance(wallet.address), wallet.getNonce(),
]);
assert.deepEqual([dollars, nonce], [10_000_000_000n, 0]);
assert.ok(ether > 0n);

const approved = await (await usdc.approve(places.router, 1_000_000n)).wait();
assert.equal(usdc.interface.parseLog(approved.logs[0]).args.value, 1_000_000n);
const order = (least) => ({
  tokenIn: places.usdc, tokenOut: places.weth, fee: 500, recipient: wallet.address, deadline: 2n ** 40n,
  amountIn: 1_000_000n, amountOutMinimum: least, sqrtPriceLimitX96: 0n,
});
await assert.rejects(router.exactInputSingle.staticCall(order(10n ** 18n)), (e) => e.code === "CALL_EXCEPTION" && e.reason === "Too little received");
const quote = await router.exactInputSingle.staticCall(order(0n));
const swapped = await (await router.exactInputSingle(order(quote))).wait();
assert.equal(swapped.status, 1);
assert.equal(await weth.balanceOf(wallet.address), quote);
assert.equal(await weth.balanceOf(wallet.address, { blockTag: funded }), 0n);
assert.equal(await usdc.balanceOf(wallet.address, { blockTag: funded }), 10_000_000_000n);
const moved = await usdc.queryFilter(usdc.filters.Transfer(wallet.address), funded, "latest");
assert.deepEqual(moved.map((log) => [log.transactionHash, log.args.value]), [[swapped.hash, 1_000_000n]]);
const block = await node.getBlock(swapped.blockNumber, true);
assert.equal(block.hash, swapped.blockHash);
assert.equal(block.prefetchedTransactions[0].hash, swapped.hash);
assert.equal((await node.getTransaction(swapped.hash)).from, wallet.address);
assert.equal((await node.getBlock(0, true)).prefetchedTransactions[0].blockNumber, 0);

await assert.rejects(wallet.sendTransaction({ to: wallet.address, nonce: 0 }), (e) => e.code === "NONCE_EXPIRED");
await assert.rejects(
  wallet.sendTransaction({ to: wallet.address, value: 10n ** 40n, gasLimit: 21000 }),
  (e) => e.code === "INSUFFICIENT_FUNDS",
);
node.destroy();
console.log("all as it should be");
