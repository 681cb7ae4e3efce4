import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { type StateRepository, stateRepositories, usual } from "./state-repository.ts";

// An agent that can write git's folder owns whoever calls git there: none of it may run by ralph's own calls.

let repo: StateRepository;
const newRepository = stateRepositories();

const hooks = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "post-index-change",
  "reference-transaction",
  "post-checkout",
];
const commands = [
  "core.fsmonitor",
  "core.pager",
  "core.editor",
  "core.sshCommand",
  "core.hooksPath",
  "diff.external",
  "diff.evil.textconv",
  "filter.evil.clean",
  "filter.evil.smudge",
  "merge.evil.driver",
  "gpg.program",
  "credential.helper",
  "sequence.editor",
  "alias.status",
];

/** A shell script that plants every way that git has to start something; each leaves a line in `marker`. */
function planting(marker: string, where: "config" | "worktree" | "include"): readonly string[] {
  const evil = `.git/evil.sh`;
  const file =
    where === "config" ? ".git/config" : where === "include" ? ".git/more" : ".git/config.worktree";
  const value = (key: string): string => {
    if (key === "core.hooksPath") return "$PWD/.git/hooks";
    return key.startsWith("alias.") ? `!$PWD/${evil}` : `$PWD/${evil}`;
  };
  return [
    "sh",
    "-c",
    [
      `printf '#!/bin/sh\\necho "$0 $*" >> ${marker}\\ncat 2>/dev/null\\n' > ${evil}; chmod +x ${evil}`,
      ...hooks.map((hook) => `mkdir -p .git/hooks; cp ${evil} .git/hooks/${hook}`),
      ...commands.map((key) => `git config -f ${file} ${key} "${value(key)}"`),
      `git config -f ${file} commit.gpgSign true`,
      ...(where === "worktree" ? ["git config -f .git/config extensions.worktreeConfig true"] : []),
      ...(where === "include" ? ['git config -f .git/config includeIf.gitdir:/.path "$PWD/.git/more"'] : []),
      "echo '* filter=evil diff=evil merge=evil' > .git/info/attributes",
      "echo planted >> src/shared.txt",
    ].join("\n"),
  ];
}

const places = (
  process.env["RALPH_TEST_GIT"] === undefined ? ["worktree"] : ["config", "worktree", "include"]
) as readonly ("config" | "worktree" | "include")[];

/** A repository whose agent plants in its first attempt at t-2 and then sleeps; gives what the planted programs left. */
function withPlanting(where: Parameters<typeof planting>[1], sleepMs: number): () => string {
  repo = newRepository((base) => ({
    ...usual,
    "t-2": [
      { ...usual["t-2"][0], run: [planting(join(base, "ran"), where), ["sleep", String(sleepMs / 1000)]] },
    ],
  }));
  const marker = join(repo.base, "ran");
  return () => (existsSync(marker) ? readFileSync(marker, "utf8") : "");
}

test.each(places)(
  "LOOP-18 LOOP-9: nothing that an agent planted in git's folder (%s) runs by ralph's own git calls",
  async (where) => {
    const evilRan = withPlanting(where, 0);
    const { code, events } = await repo.run("--max-attempts", "2");
    expect(events.at(-1)).toMatchObject({ tasks: { done: 2, blocked: 1 } });
    expect(code).toBe(4);
    expect(evilRan()).toBe("");
  },
);

test.each(variants(places, 0, "RALPH_TEST_GIT"))(
  "LOOP-18 LOOP-11: nothing that it planted (%s) runs after a kill either, and what was put back is kept and told",
  async (where) => {
    const evilRan = withPlanting(where, 20_000);
    const config = repo.read(".git/config");
    const killed = repo.runAndKill(() => repo.read("src/shared.txt").includes("planted"));
    expect(await killed).toBe(true);
    expect(repo.read(".git/info/attributes")).toMatch(/evil/);
    const { code, events } = await repo.run("t-1", "t-3");
    expect(evilRan()).toBe("");
    expect(code).toBe(0);
    expect(repo.read(".git/config")).toBe(config);
    expect(events.find(({ type }) => type === "run.recovered")).toMatchObject({
      warnings: expect.arrayContaining([
        expect.stringMatching(/put back \.git\/hooks\/pre-commit.*\.ralph\/put-aside/),
      ]),
    });
    expect(readdirSync(join(repo.root, ".ralph/put-aside")).length).toBe(1);
  },
);

test("LOOP-9 LOOP-11: what a person changes in git's configuration after a kill, and that starts nothing, stays", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_GIT");
  withPlanting("config", 20_000);
  expect(await repo.runAndKill(() => repo.begun("t-1"))).toBe(true);
  repo.git("remote", "add", "origin", "https://example.invalid/x.git");
  repo.git("config", "branch.main.remote", "origin");
  const config = repo.read(".git/config");
  expect((await repo.run("t-1")).code).toBe(0);
  expect(repo.read(".git/config")).toBe(config);
});
