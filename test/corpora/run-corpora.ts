/**
 * Runs the checks that need a folder of corpora: `npm run test:corpora -- DIR [WORD]`. A check whose file is not there is left
 * out and said so; with a word, only the checks with it in their name run. Exit code 1 when one fails.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkBenign } from "./check-benign.ts";
import { checkFences } from "./check-fences.ts";
import { checkMemory } from "./check-memory.ts";
import { checkPaths } from "./check-paths.ts";
import { checkScreen } from "./check-screen.ts";
import { checkSecrets } from "./check-secrets.ts";
import { checkSkillNames } from "./check-skill-names.ts";
import { checkTexts } from "./check-texts.ts";
import type { Finding } from "./finding.ts";

type Check = (content: string) => Promise<Finding> | Finding;

const checks: readonly (readonly [name: string, file: string | null, check: Check])[] = [
  ["TRUST-1 secrets caught", "secrets.jsonl", checkSecrets],
  ["TRUST-1 documentation left alone", null, checkBenign],
  ["TRUST-6 names and paths", "traversal.txt", checkPaths],
  ["SKILL-2 topics of skills", "traversal.txt", checkSkillNames],
  ["TASK-8 naughty strings kept", "naughty-strings.json", (content) => checkTexts(strings(content))],
  ["TASK-8 shell text kept", "command-injection.txt", (content) => checkTexts(content.split("\n"))],
  ["TRUST-7 naughty strings shown", "naughty-strings.json", (content) => checkScreen(strings(content))],
  ["TRUST-3 fence, texts", "injection-text.json", (content) => checkFences(strings(content))],
  ["TRUST-3 fence, code", "injection-code.json", (content) => checkFences(strings(content))],
  ["TRUST-3 memory, texts", "injection-text.json", (content) => checkMemory(strings(content))],
  ["TRUST-3 memory, code", "injection-code.json", (content) => checkMemory(strings(content))],
];

/** All strings in a JSON value. */
function strings(content: string): readonly string[] {
  const found: string[] = [];
  JSON.parse(content, (_key, value: unknown) => {
    if (typeof value === "string") found.push(value);
    return value;
  });
  return found;
}

async function runCheck(folder: string, [name, file, check]: (typeof checks)[number]): Promise<boolean> {
  const path = join(folder, file ?? "");
  if (file && !existsSync(path)) {
    print(`left out  ${name}: no ${file}`);
    return true;
  }
  const begin = performance.now();
  const { passed, figures, details } = await check(file ? await readFile(path, "utf8") : "");
  print(
    `${passed ? "passed  " : "FAILED  "}  ${name}: ${figures} (${Math.round(performance.now() - begin)} ms)`,
  );
  for (const detail of details.slice(0, 20)) print(`            ${JSON.stringify(detail).slice(0, 200)}`);
  return passed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [folder, word = ""] = process.argv.slice(2);
if (folder === undefined || !existsSync(folder)) {
  process.stderr.write("usage: npm run test:corpora -- DIR [WORD]\n");
  process.exitCode = 2;
} else {
  for (const check of checks.filter(([name]) => name.includes(word)))
    if (!(await runCheck(folder, check))) process.exitCode = 1;
}
