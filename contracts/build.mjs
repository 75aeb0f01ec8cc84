// Compiles the contracts of this folder into artifacts/: `node build.mjs [--check] [--out DIR]`.
// The compiler is npm's solc, looked up from the working directory (`npm i solc@0.8.37 --ignore-scripts`).
// With --check nothing is written: it fails when an artifact differs from what the compiler gives now.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(process.cwd(), "package.json"));
const solc = require("solc");

const wanted = "0.8.37";
if (!solc.version().startsWith(wanted)) {
  console.error(`solc ${wanted} is pinned, found ${solc.version()}`);
  process.exit(2);
}

const check = process.argv.includes("--check");
const outAt = process.argv.indexOf("--out");
const out = outAt > 0 ? process.argv[outAt + 1] : join(here, "artifacts");

// Paris, so that the code runs on every chain since the merge. No metadata hash: the bytes depend on the text alone.
const settings = {
  evmVersion: "paris",
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};
const files = {
  "Usdc.sol": ["Usdc"],
  "Weth9.sol": ["Weth9"],
  "MarketMaker.sol": ["MarketMaker"],
  "IdentityRegistry.sol": ["IdentityRegistry"],
  "test/OddTokens.sol": ["DecimalsToken", "FeeToken", "RebasingToken"],
  "test/GasPriceOracle.sol": ["TestGasPriceOracle", "TestNodeInterface"],
};

const sources = Object.fromEntries(
  Object.keys(files).map((f) => [f, { content: readFileSync(join(here, f), "utf8") }]),
);
const result = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })));
const problems = (result.errors ?? []).map((e) => e.formattedMessage);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}

const { outputSelection: _, ...kept } = settings;
let stale = 0;
if (!check) mkdirSync(out, { recursive: true });
for (const [file, names] of Object.entries(files)) {
  for (const name of names) {
    const made = result.contracts[file][name];
    const artifact = {
      contract: name,
      source: file,
      compiler: solc.version(),
      settings: kept,
      abi: made.abi,
      bytecode: "0x" + made.evm.bytecode.object,
      runtimeSha256: createHash("sha256").update(made.evm.deployedBytecode.object, "hex").digest("hex"),
    };
    const text = JSON.stringify(artifact, null, 2) + "\n";
    const at = join(out, `${name}.json`);
    if (!check) {
      writeFileSync(at, text);
    } else if (readFileSync(at, "utf8") !== text) {
      console.error(`${at} is not what ${file} compiles to`);
      stale += 1;
    }
  }
}
process.exit(stale === 0 ? 0 : 1);
