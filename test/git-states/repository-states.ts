import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { State } from "./state.ts";
import { type StateRepository, usual } from "./state-repository.ts";

/** A repository beside the project's, to be cloned or taken in as a submodule. */
function library({ base, git }: StateRepository): string {
  const folder = join(base, "library");
  git("init", "-q", "-b", "main", folder);
  for (const [key, value] of [
    ["user.name", "Lib"],
    ["user.email", "lib@example.invalid"],
  ] as const)
    git("-C", folder, "config", key, value);
  writeFileSync(join(folder, "lib.txt"), "library\n");
  git("-C", folder, "add", "-A");
  git("-C", folder, "commit", "-qm", "library");
  return folder;
}

function submodule(repo: StateRepository): undefined {
  const from = library(repo);
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "vendor/lib");
  repo.git("commit", "-qm", "take in the library");
}

/** Repositories of every kind. */
export const repositoryStates: readonly State[] = [
  {
    name: "a detached HEAD",
    short: "index",
    arrange: ({ git }) => {
      git("switch", "-q", "--detach");
    },
    check: ({ tryGit }) => expect(tryGit("symbolic-ref", "-q", "HEAD")).toMatch(/Error/),
  },
  {
    name: "a linked work tree, the main one dirty",
    folders: ["linked", "project"],
    arrange: (repo) => {
      repo.git("worktree", "add", "-q", "-b", "linked", join(repo.base, "linked"));
      repo.write("mine.txt", "dirty in the main work tree\n");
      repo.write("untracked.txt", "untracked in the main work tree\n");
      repo.git("add", "mine.txt");
      return repo.at({ top: join(repo.base, "linked") });
    },
    check: ({ git }) => expect(git("log", "-1", "--format=%s", "main")).toBe("settings of the copy"),
  },
  {
    name: "a subfolder of a monorepo, its siblings dirty, staged and untracked",
    short: "subfolder",
    flags: ["--allow-dirty"],
    agents: /^packages\/a\/src\//,
    arrange: (repo) => {
      const { write, git } = repo;
      for (const file of ["src/shared.txt", "src/old.txt", "src/keep.txt", "check.sh"])
        write(`packages/a/${file}`, `${file}\n`);
      write("packages/a/check.sh", "! grep -rqs BROKEN src\n");
      write("packages/b/tracked.txt", "b\n");
      git("add", "-A");
      git("commit", "-qm", "packages");
      const moved = repo.at({ top: repo.top, below: "packages/a" });
      git("rm", "-rq", "--cached", ".ralph");
      git("add", "-A", "packages/a");
      git("commit", "-qm", "the project lies in packages/a");
      write("packages/b/tracked.txt", "dirty\n");
      write("packages/b/untracked.txt", "untracked\n");
      write("packages/b/staged.txt", "staged\n");
      git("add", "packages/b/staged.txt");
      write("mine.txt", "dirty at the top\n");
      return moved;
    },
  },
  {
    name: "a submodule with nothing changed in it",
    arrange: submodule,
  },
  {
    name: "a submodule with edits and untracked files in it",
    arrange: (repo) => {
      submodule(repo);
      repo.write("vendor/lib/lib.txt", "edited in the submodule\n");
      repo.write("vendor/lib/new.txt", "untracked in the submodule\n");
    },
  },
  {
    name: "a submodule that the agent edits and commits in",
    agents: /^vendor\/lib\/by-|^vendor\/lib$/,
    arrange: submodule,
    script: {
      ...usual,
      "t-2": [
        {
          ...usual["t-2"][0],
          write: { "src/two.txt": "BROKEN\n", "vendor/lib/by-agent.txt": "agent\n" },
          run: [
            ["git", "-C", "vendor/lib", "add", "-A"],
            [
              "git",
              "-C",
              "vendor/lib",
              "-c",
              "user.name=A",
              "-c",
              "user.email=a@b.c",
              "commit",
              "-qm",
              "agent",
            ],
          ],
        },
      ],
    },
  },
  {
    name: "a submodule that is not checked out",
    arrange: (repo) => {
      submodule(repo);
      repo.git("submodule", "--quiet", "deinit", "-f", "vendor/lib");
    },
  },
  {
    name: "a sparse checkout",
    arrange: (repo) => {
      const { git } = repo;
      // In one step: a bare `init` would take ralph's own folder away, the ignored files in it too.
      git("sparse-checkout", "set", "--cone", "src", ".ralph");
    },
    check: ({ exists }) => expect(exists("docs/guide.txt")).toBe(false),
  },
  {
    name: "a sparse checkout with a sparse index",
    arrange: ({ git }) => {
      git("sparse-checkout", "set", "--cone", "--sparse-index", "src", ".ralph");
    },
    check: ({ exists }) => expect(exists("docs/guide.txt")).toBe(false),
  },
  {
    name: "a shallow clone",
    arrange: (repo) => {
      const clone = join(repo.base, "clone");
      repo.git("clone", "-q", "--depth", "1", `file://${repo.top}`, clone);
      repo.git("-C", clone, "config", "user.name", "Practice");
      repo.git("-C", clone, "config", "user.email", "practice@example.invalid");
      return repo.at({ top: clone });
    },
  },
  {
    name: "packed refs and objects, a ref that outlived its branch, core.bare unset",
    arrange: ({ git }) => {
      git("branch", "side");
      git("gc", "-q");
      git("pack-refs", "--all");
    },
  },
];
