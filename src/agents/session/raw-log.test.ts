import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { registerSecrets } from "../../trust/registered-secrets.ts";
import { openRawLog } from "./raw-log.ts";

const root = mkdtempSync(join(tmpdir(), "ralph-raw-log-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const secret = "tok-5f0c1d77a9be4e21-raw-log";
registerSecrets([secret]);

async function written(name: string, lines: Iterable<string>): Promise<string> {
  const path = join(root, "logs", name);
  const log = await openRawLog(path, root);
  for (const line of lines) log.line(line);
  await log.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  return readFileSync(path, "utf8");
}

function* many(count: number): Iterable<string> {
  for (let n = 0; n < count; n++) yield `${n} ${secret} ${"x".repeat(1000)}`;
}

test("AGENT-5: a short log is whole", async () => {
  expect(await written("short", ["one", `two ${secret}`, "é\u2028😀"])).toBe(
    "one\ntwo [redacted:env]\né\u2028😀\n",
  );
  expect(await written("empty", [])).toBe("");
});

test("AGENT-5: of a long one the head and the tail are kept, and both are redacted", async () => {
  const log = await written("long", many(24_000));
  expect(log.length).toBeLessThan(20.1 * 1024 * 1024);
  expect(log.length).toBeGreaterThan(20 * 1024 * 1024);
  expect(log).toMatch(/^0 \[redacted:env\] x+\n1 /);
  expect(log).toMatch(/characters left out\]\n[\s\S]*\n23999 \[redacted:env\] x+\n$/);
  expect(log).not.toContain(secret);
});

test("AGENT-5: a private key over many lines is redacted whole, wherever blocks end", async () => {
  const key = [
    "-----BEGIN RSA PRIVATE KEY-----",
    ...Array(30).fill("MIIEpAIBAAKCAQEA7v".repeat(3)),
    "-----END RSA PRIVATE KEY-----",
  ];
  const before = Array.from({ length: 64 }, (_, n) => `${n} ${"y".repeat(1007)}`);
  const log = await written("key", [...before, ...key, ...before]);
  expect(log).not.toContain("MIIEpAIBAAKCAQEA7v");
  expect(log).toMatch(/63 y+\n$/);
});

test("AGENT-5, TRUST-12: while a long line is redacted, timers and signals have their turn", async () => {
  const log = await openRawLog(join(root, "logs", "long-line"), root);
  log.line("first");
  log.line(`${"password:".repeat(100_000)} ${secret} api_token=${"q7Rw2Zk9Xv4Tn8Lp3Bs6"}`);
  for (let n = 0; n < 3; n++) log.line(`line ${n}`);
  let turns = 0;
  let longest = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    turns += 1;
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }, 1);
  await log.close();
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
  expect(longest).toBeLessThan(1000);
  const text = readFileSync(join(root, "logs", "long-line"), "utf8");
  expect(text).toMatch(
    /^first\n(?:password:){100000} \[redacted:env\] api_token=\[redacted:secret\]\nline 0\nline 1\nline 2\n$/,
  );
});

test("a link on the way to the log is refused", async () => {
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), join(root, "planted"));
  await expect(openRawLog(join(root, "planted", "a.log"), root)).rejects.toMatchObject({
    code: "RALPH_PATH_SYMLINK",
  });
});
