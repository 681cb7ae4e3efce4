import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type StateRepository, stateRepositories, usual } from "./state-repository.ts";

// Programs that an agent leaves in git's configuration and hooks do not run by ralph's own calls of git.

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

/** A repository whose agent plants in its first attempt at t-2; gives what the planted programs left. */
function withPlanting(where: Parameters<typeof planting>[1]): () => string {
  repo = newRepository((base) => ({
    ...usual,
    "t-2": [{ ...usual["t-2"][0], run: [planting(join(base, "ran"), where)] }],
  }));
  const marker = join(repo.base, "ran");
  return () => (existsSync(marker) ? readFileSync(marker, "utf8") : "");
}

test.each(places)(
  "LOOP-18 LOOP-9: nothing that an agent planted in git's folder (%s) runs by ralph's own git calls",
  async (where) => {
    const evilRan = withPlanting(where);
    const { code, events } = await repo.run("--max-attempts", "2");
    expect(events.at(-1)).toMatchObject({ tasks: { done: 2, blocked: 1 } });
    expect(code).toBe(4);
    expect(evilRan()).toBe("");
  },
);
