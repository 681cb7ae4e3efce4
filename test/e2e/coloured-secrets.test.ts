import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

// Put together at run time, lest scanners take this file for a leak.
const token = ["ghp", "R7xQ2mVt9LkB4nZs8WcY1dHf6JpG3aTuE5oK"].join("_");
const coloured = `\u001b[31m${token}\u001b[0m`;
const split = `${token.slice(0, 9)}\u200b${token.slice(9)}`;
const leak = `${coloured} and ${split}`;

let project: Practice;
afterEach(() => project?.remove());

/** Checks a text without what hides a token from a search. */
function holdsToken(text: string): boolean {
  return text.replace(/\u200b|\\u200b|\0/g, "").includes(token);
}

/** The files of the project and its homes, besides git's objects, that hold the token. */
function leakingFiles(): readonly string[] {
  return [project.dir, project.home]
    .flatMap((root) =>
      readdirSync(root, { recursive: true, withFileTypes: true }).map((file) => ({ root, file })),
    )
    .filter(({ file }) => file.isFile())
    .map(({ file }) => join(file.parentPath, file.name))
    .filter((path) => !path.includes("/.git/objects/") && existsSync(path))
    .filter((path) => holdsToken(readFileSync(path, "utf8")));
}

async function ralph(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph(...args);
  expect([args, code, holdsToken(`${stdout}${stderr}`)]).toEqual([args, 0, false]);
  return stdout;
}

test("TRUST-1: a coloured secret in an agent's message reaches no commit, hook, log or store", async () => {
  project = practice();
  const said = `Used the value ${leak} for tests.\n\n<task-done>{id}</task-done>`;
  const failed = `<failure-report>\nwhy_failed: ${leak} was rejected\n</failure-report>\n<task-failed>{id}</task-failed>`;
  const hook = `events: { hooks: [{ on: "*", run: [sh, -c, "cat >> hooked.txt"] }] }\n`;
  await project.useWorker(
    { "t-1": [{ write: { "a.txt": "x" }, say: said }], "t-2": [{ say: failed }] },
    `verify: ["true"]\nlimits: { maxAttempts: 1 }\n${hook}`,
  );
  await project.addTasks(["first", "second"]);
  const { stdout, stderr } = await project.ralph("run", "--json");
  expect(holdsToken(`${stdout}${stderr}`)).toBe(false);
  const message = project.git("log", "-1", "--format=%B");
  expect(message).toContain("Used the value [redacted:github] and [redacted:github] for tests.");
  expect(stdout).toContain("[redacted:github] was rejected");
  expect(project.read("hooked.txt")).toContain("[redacted:github]");
  expect(await ralph("events")).toContain("[redacted:github]");
  await ralph("log", "--json");
  expect(leakingFiles()).toEqual([]);
});
