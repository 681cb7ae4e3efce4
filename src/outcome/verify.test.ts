import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { formatDuration } from "../base/duration.ts";
import { runTool } from "../process/run-tool.ts";
import type { CheckResult } from "./outcome.ts";
import { verify } from "./verify.ts";

let cwd: string;
let markers = 0;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "ralph-verify-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const file = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
async function run(
  commands: readonly (string | { run: string; timeoutMs: number })[],
  more: { signal?: AbortSignal; env?: Record<string, string>; remainingMs?: number } = {},
): Promise<readonly CheckResult[]> {
  markers += 1;
  const list = commands.map((command) =>
    typeof command === "string" ? { run: command, timeoutMs: null } : command,
  );
  return verify(list, {
    cwd,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...more.env },
    marker: `verify-test-${process.pid}-${markers}`,
    isolation: "process-group",
    sandbox: null,
    signal: more.signal ?? new AbortController().signal,
    remainingMs: more.remainingMs ?? null,
  });
}
const brief = (results: readonly CheckResult[]) =>
  results.map(({ command, passed, reason, exitCode }) => [command, passed, reason, exitCode]);

test("LOOP-4: all commands must exit 0; they run in order by the shell, in the project", async () => {
  const results = await run(["echo one > a.txt", "test -f a.txt && test -z ''"]);
  expect(brief(results)).toEqual([
    ["echo one > a.txt", true, "", 0],
    ["test -f a.txt && test -z ''", true, "", 0],
  ]);
});

test("LOOP-4: the first failure ends it", async () => {
  const results = await run(["true", "echo no >&2; exit 3", "touch never"]);
  expect(brief(results)).toEqual([
    ["true", true, "", 0],
    ["echo no >&2; exit 3", false, "exit code 3", 3],
  ]);
  expect(results[1]?.excerpt).toBe("no");
  expect(() => readFileSync(join(cwd, "never"))).toThrow("ENOENT");
});

test("no command, no result", async () => {
  expect(await run([])).toEqual([]);
});

test("LOOP-4: onStart and onEnd tell of each command", async () => {
  const told: string[] = [];
  await verify(
    [
      { run: "true", timeoutMs: null },
      { run: "false", timeoutMs: null },
    ],
    {
      cwd,
      env: {},
      marker: `verify-test-${process.pid}-told`,
      isolation: "process-group",
      sandbox: null,
      signal: new AbortController().signal,
      remainingMs: null,
      onStart: (command) => told.push(`start ${command}`),
      onEnd: ({ command, passed }) => told.push(`end ${command} ${passed}`),
    },
  );
  expect(told).toEqual(["start true", "end true true", "start false", "end false false"]);
});

describe("LOOP-4: what is no pass", () => {
  test("a command that is not there", async () => {
    expect((await run(["no-such-program --x"]))[0]).toMatchObject({ passed: false, exitCode: 127 });
  });

  test("an end by signal", async () => {
    expect((await run(["kill -SEGV $$"]))[0]).toMatchObject({
      passed: false,
      reason: "was ended by SIGSEGV",
    });
  });

  test("too long, although it ignores being asked to stop", async () => {
    const timeoutMs = scaledLimit(300);
    const [result] = await run([{ run: "trap '' TERM INT; echo begun; sleep 30; sleep 30", timeoutMs }]);
    const reason = `timed out after ${formatDuration(timeoutMs)}`;
    expect(result).toMatchObject({ passed: false, reason, excerpt: "begun" });
  });

  test("LOOP-7: longer than what is left of the attempt, for all commands together", async () => {
    const results = await run(["sleep 0.2", "sleep 30"], { remainingMs: 900 });
    expect(results).toMatchObject([
      { passed: true },
      { passed: false, reason: expect.stringMatching(/^timed out after .* time limit \(--task-timeout\)$/) },
    ]);
    const [, left] = /^timed out after (\d+) ms/.exec(results[1]?.reason ?? "") ?? [];
    expect(Number(left)).toBeLessThanOrEqual(700);
    const [own] = await run([{ run: "sleep 30", timeoutMs: 100 }], { remainingMs: 60_000 });
    expect(own?.reason).toBe("timed out after 100 ms");
  });

  test("being stopped", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const results = await run(["sleep 30", "true"], { signal: stop.signal });
    expect(brief(results)).toEqual([
      ["sleep 30", false, "was stopped", expect.toSatisfy((code) => code !== 0)],
    ]);
  });

  test("node:test without a test", async () => {
    file("a.test.js", "");
    const [result] = await run(["node --test a.test.js"]);
    expect(result).toMatchObject({ passed: false, exitCode: 0, reason: "exit code 0, but it ran no test" });
  });

  test("node:test with all tests skipped", async () => {
    file("a.test.js", `require("node:test").test.skip("later", () => {});`);
    expect((await run(["node --test a.test.js"]))[0]).toMatchObject({ passed: false });
  });
});

test("LOOP-4: node:test with a test passes", async () => {
  file("a.test.js", `require("node:test").test("fine", () => {});`);
  file("b.test.js", "");
  expect((await run(["node --test a.test.js b.test.js"]))[0]).toMatchObject({ passed: true, reason: "" });
});

test("LOOP-6: a flood on one stream does not drown an error on the other", async () => {
  file(
    "noisy.js",
    `for (let i = 0; i < 200000; i++) console.log("chunk", i, "emitted without trouble"); console.error("a.ts(1,1): error TS1: bad"); process.exitCode = 2;`,
  );
  const [result] = await run(["node noisy.js"]);
  expect(result).toMatchObject({ passed: false, reason: "exit code 2" });
  expect(result?.excerpt).toContain("a.ts(1,1): error TS1: bad");
  expect(result?.excerpt.length).toBeLessThanOrEqual(4000);
});

test("TRUST-1: a secret in the output is not kept, not even at the cut", async () => {
  const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  file(
    "leak.js",
    `const t = ${JSON.stringify(token)}; console.error("error: token " + t);
    process.stderr.write("x".repeat(64 * 1024 - 54 - 1 - 30) + "\\nerror: cut " + t + "\\n"); process.stderr.write(("y".repeat(99) + "\\n").repeat(4000)); process.exitCode = 1;`,
  );
  const [result] = await run(["node leak.js"]);
  expect(result?.passed).toBe(false);
  expect(result?.excerpt).toContain("error: token [redacted");
  expect(result?.excerpt).not.toContain(token.slice(0, 12));
});

test("LOOP-10: no process that a command started outlives it", async () => {
  const name = `4${process.pid}.25`;
  await run([`(setsid sleep ${name} >/dev/null 2>&1 &) ; (sleep ${name} &) ; sleep 0.2; true`]);
  const listed = await runTool(["ps", "-eo", "args"], {
    cwd,
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 10_000,
  });
  expect(listed.stdout).toContain("ps -eo args");
  expect(listed.stdout).not.toContain(`sleep ${name}`);
});

test("TRUST-12: output without a line end is read in a short time", async () => {
  const begin = process.cpuUsage();
  const [result] = await run([
    `${process.execPath} -e 'process.stdout.write("password:".repeat(100_000))'; exit 1`,
  ]);
  const { user } = process.cpuUsage(begin);
  expect(result?.passed).toBe(false);
  // More than a second when each place in the line is examined.
  expect(user / 1000).toBeLessThan(800);
});
