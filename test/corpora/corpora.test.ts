import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { checkSecrets } from "./check-secrets.ts";

const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
const caught = { rule: "github-pat", kind: "tp", text: `token = ${secret}` };
const changed = { rule: "example", kind: "fp", text: `token = ${secret}` };
const kept = { rule: "example", kind: "fp", text: "the parser reads one token at a time" };
const lines = (cases: readonly unknown[]): string => cases.map((one) => JSON.stringify(one)).join("\n");

interface Ran {
  readonly code: number;
  readonly stdout: string;
}

async function run(files: Readonly<Record<string, string>>): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-corpora-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const argv = ["--import", "tsx", join(import.meta.dirname, "run-corpora.ts"), folder];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, argv);
    return { code: 0, stdout };
  } catch (error) {
    return error as Ran;
  }
}

test("IF-7: the checks run over a folder in the layout of the corpora, and a file that is absent is skipped", async () => {
  const { code, stdout } = await run({
    "secrets.jsonl": lines([caught, kept]),
    "traversal.txt": "../../etc/passwd\nboot.ini\nplain\n",
    "naughty-strings.json": JSON.stringify(["'; DROP TABLE tasks; --", "\u202eevil\u001b[2J"]),
  });
  expect(code).toBe(0);
  expect(stdout.match(/^(passed|FAILED|left out) .*?(?=:)/gm)).toEqual([
    "passed    TRUST-1 secrets caught",
    "passed    TRUST-1 documentation left alone",
    "passed    TRUST-6 names and paths",
    "passed    SKILL-2 topics of skills",
    "passed    TASK-8 naughty strings kept",
    "left out  TASK-8 shell text kept",
    "passed    TRUST-7 naughty strings shown",
    "left out  TRUST-3 fence, texts",
    "left out  TRUST-3 fence, code",
    "left out  TRUST-3 memory, texts",
    "left out  TRUST-3 memory, code",
  ]);
});

const set = (...groups: readonly (readonly [count: number, one: object])[]): string =>
  lines(groups.flatMap(([count, one]) => Array<object>(count).fill(one)));

test("TRUST-1: the check fails below 99% of secrets gone, also where a part of one stays", () => {
  const left = { ...caught, text: `${caught.text} and ${"x1Y2z3W4v5U6t7S8r9Q0p1"}` };
  expect(checkSecrets(set([99, caught], [1, left])).passed).toBe(true);
  expect(checkSecrets(set([98, caught], [2, left]))).toMatchObject({
    passed: false,
    figures: expect.stringContaining("98 of 100 secrets gone (98.0%), 0 missed, 2 in part"),
  });
});

/** Returns `count` texts that differ. */
const distinct = (count: number, one: { readonly text: string }): readonly (readonly [number, object])[] =>
  Array.from({ length: count }, (_, n) => [1, { ...one, text: `${one.text}, ${n}` }] as const);

test("TRUST-1: the check fails above 5% of harmless texts changed that have no secret of their form", () => {
  const other = { ...changed, text: `password = "hunter2-abc!"` };
  expect(checkSecrets(set([1, caught], ...distinct(95, kept), [5, other])).passed).toBe(true);
  expect(checkSecrets(set([1, caught], ...distinct(94, kept), [6, other])).passed).toBe(false);
  const { passed, figures, details } = checkSecrets(set([1, caught], [90, kept], [10, changed]));
  expect([passed, details]).toEqual([true, []]);
  expect(checkSecrets(set([1, caught], [88, kept], [12, changed])).passed).toBe(false);
  expect(figures).toContain("10 of 100 others changed (10.0%), 0 without a secret of the same form (0.0%)");
});

test("TRUST-1: harmless texts that the set also lists as secrets are counted apart, and equal ones once", () => {
  const again = { ...changed, text: `again ${changed.text}` };
  const listed = checkSecrets(set([1, caught], [3, changed], [2, again], ...distinct(63, kept)));
  expect(listed).toMatchObject({
    passed: true,
    figures: expect.stringContaining(
      "5 of 68 others changed (7.4%), 0 without a secret of the same form (0.0%); " +
        "3 are also listed as secrets, 1 of the 64 distinct rest changed (1.6%)",
    ),
  });
  expect(checkSecrets(set([1, caught], ...distinct(5, again), ...distinct(95, kept))).passed).toBe(true);
  expect(checkSecrets(set([1, caught], ...distinct(6, again), ...distinct(94, kept))).passed).toBe(false);
});
