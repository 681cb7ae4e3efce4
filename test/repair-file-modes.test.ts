import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkFileModes, repairFileModes } from "../src/cli/commands/doctor/file-modes-check.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ralph-permissions-"));
  mkdirSync(join(root, ".ralph"), { mode: 0o700 });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const churn = `
const fs = require("node:fs");
for (;;) {
  fs.mkdirSync("deep", { mode: 0o755 });
  fs.writeFileSync("deep/file", "", { mode: 0o644 });
  fs.rmSync("deep", { recursive: true });
}`;

test("TRUST-6: files that vanish while permissions are mended are no error", async () => {
  const busy = spawn(process.execPath, ["-e", churn], { cwd: join(root, ".ralph"), stdio: "ignore" });
  const ended = new Promise((resolve) => busy.once("exit", resolve));
  try {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let i = 0; i < 1500; i += 1) await repairFileModes(root);
  } finally {
    busy.kill("SIGKILL");
    await ended;
  }
  await repairFileModes(root);
  expect(await checkFileModes(root)).toMatchObject({ status: "ok" });
});
