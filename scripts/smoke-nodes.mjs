// npm run test:nodes: the package as npm packs it, installed globally and by npx, and its demo, on this Node and on the others that
// ralph supports, which npm installs into a temporary folder. Also checks the size of the package.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const maxBytes = 4 * 1024 * 1024;
const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "ralph-nodes-"));
const quietly = ["--no-audit", "--no-fund", "--loglevel", "error"];

/** Installs a Node and returns the folder of its program. */
function installNode(major) {
  const home = join(folder, `node-${major}`);
  mkdirSync(home);
  writeFileSync(join(home, "package.json"), "{}");
  execFileSync("npm", ["install", ...quietly, `node@${major}`], { cwd: home, stdio: "ignore" });
  const find = `require.resolve("node-${process.platform}-${process.arch}/package.json", { paths: ["${home}/node_modules/node"] })`;
  return join(dirname(execFileSync(process.execPath, ["-p", find], { encoding: "utf8" }).trim()), "bin");
}

try {
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root, encoding: "utf8" });
  const [{ filename, unpackedSize }] = JSON.parse(packed.slice(packed.indexOf("[")));
  if (unpackedSize > maxBytes) throw new Error(`the package has ${unpackedSize} bytes; the limit is ${maxBytes}`);
  process.stdout.write(`the package has ${(unpackedSize / 1024 / 1024).toFixed(1)} MiB\n`);
  for (const bin of [dirname(process.execPath), installNode(22), installNode(24)]) {
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const run = (program, ...args) => execFileSync(program, args, { env, cwd: folder, encoding: "utf8" });
    const version = run(join(bin, "node"), "--version").trim();
    const prefix = join(folder, `global-${version}`);
    run("npm", "install", "-g", "--prefix", prefix, ...quietly, join(folder, filename));
    const said = run(join(prefix, "bin/ralph"), "demo");
    if (!said.includes("all tasks are done")) throw new Error(`the demo failed on ${version}:\n${said}`);
    const npx = run("npx", "--yes", "--package", join(folder, filename), "ralph", "--version").trim();
    process.stdout.write(`${version}: ralph ${npx} installed and started by npx, the demo passed\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
