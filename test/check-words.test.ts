import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, tempFolder } from "./temp-repository.ts";

afterEach(removeTempRepositories);

const script = resolve(import.meta.dirname, "../scripts/check-words.mjs");
const clean = {
  "src/room/a.ts": '/** Returns the name. */\nexport const name = "a";\n',
  "docs/a.md": "A page.\n",
  "README.md": "",
  "AGENTS.md": "",
  "REVIEW.md": "",
  "CHANGELOG.md": "",
};

/** Checks the words of `clean` with these `files`; returns the exit code and the printed lines. */
function check(
  files: Readonly<Record<string, string>>,
  exceptions: readonly object[] = [],
): readonly (string | number | null)[] {
  const cwd = tempFolder();
  const all = { ...clean, "scripts/words-exceptions.json": JSON.stringify(exceptions), ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd, encoding: "utf8" });
  return [status, ...`${stdout}${stderr}`.split("\n").filter(Boolean)];
}

const column = { "src/room/column.ts": 'export const column = "wish TEXT";\n' };
const exception = { path: "src/room/column.ts", text: "wish TEXT" };

test("the check of words finds a bad name, string, docstring, prompt and page, and no word of a test; it refuses an exception without a reason or that matches nothing", () => {
  const files = {
    ...column,
    "src/room/b.ts":
      '/** Whether it is. */\nexport const mendAll = "is no number";\nexport const text = "what log tells";\n',
    "src/room/b.test.ts": 'export const mend = "anew";\n',
    "src/room/prompt.md": "Say it anew.\n",
    "docs/a.md": "Kept for good.\n",
  };
  const unused = { path: "src/room/c.ts", text: "tell" };
  const [status, ...lines] = check(files, [
    { ...exception, reason: " " },
    { ...unused, reason: "a stored name" },
  ]);
  expect(status).toBe(1);
  const where = "scripts/words-exceptions.json: ";
  const refused = [
    `${where}"wish TEXT" in src/room/column.ts: has no reason`,
    `${where}"tell" in src/room/c.ts: matches nothing, remove it`,
  ];
  expect(lines).toEqual(expect.arrayContaining(refused));
  expect(lines.filter((line) => !refused.includes(`${line}`))).toEqual([
    expect.stringContaining('src/room/b.ts:1  "Whether it is. */"'),
    expect.stringContaining('src/room/b.ts:2  "mendAll"  use: repair'),
    expect.stringContaining('src/room/b.ts:2  "is no number"'),
    expect.stringContaining('src/room/b.ts:3  "what log tells"'),
    expect.stringContaining('src/room/prompt.md:1  "Say it anew."'),
    expect.stringContaining('docs/a.md:1  "Kept for good."'),
    "6 places use words that have a standard replacement",
  ]);
});

test("the check of words honours an exception with a reason", () => {
  expect(check(column, [{ ...exception, reason: "a stored name" }])).toEqual([0]);
});
