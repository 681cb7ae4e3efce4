import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { State } from "./state.ts";
import { type Ended, type StateRepository, usual } from "./state-repository.ts";

/** Names that a shell, a line-based parser or git's own syntax would trip over. */
const oddNames = [
  "with space.txt",
  'it\'s "quoted".txt',
  "line\nbreak.txt",
  "-rf",
  ":(top)magic",
  "ünïcödé-日本-🎉.txt",
  "tab\there",
  "back\\slash",
  "*.glob",
  "src/beside the agent.txt",
];

function untracked(repo: StateRepository): undefined {
  for (const name of oddNames) repo.write(name, `mine: ${name}\n`);
  repo.script("run me.sh", "echo mine");
  repo.link("mine.txt", "a link");
  repo.link("/nonexistent/place", "a dangling link");
  repo.link("docs", "a link to a folder");
  repo.write("nested/file.txt", "of a repository in the repository\n");
  repo.git("init", "-q", "nested");
  repo.git("-C", "nested", "add", "file.txt");
  repo.git("-C", "nested", "-c", "user.name=N", "-c", "user.email=n@n.invalid", "commit", "-qm", "nested");
  repo.write("nested/file.txt", "with an uncommitted edit\n");
  mkdirSync(join(repo.top, "empty folder"));
}

function warningsOf({ events }: Ended): readonly string[] {
  const finished = events.filter(({ type }) => type === "iteration.finished");
  return finished.flatMap(({ warnings }) => warnings as string[]);
}

/** A person's files, of every kind. */
export const fileStates: readonly State[] = [
  {
    name: "untracked files of every kind of name, links, executables, a repository",
    short: "tree",
    arrange: untracked,
  },
  {
    name: "dirty, staged and half-staged files, with --allow-dirty",
    short: "index",
    flags: ["--allow-dirty"],
    arrange: ({ write, git, script }) => {
      write("mine.txt", "staged\n");
      git("add", "mine.txt");
      write("mine.txt", "staged, then edited\n");
      write("new.txt", "staged and new\n");
      git("add", "new.txt");
      git("rm", "-q", "--cached", ".gitignore");
      write("later.txt", "to be added\n");
      git("add", "-N", "later.txt");
      script("docs/guide.txt", "now executable");
    },
  },
  {
    name: "ignored files, among them where the agent works",
    short: "tree",
    arrange: ({ write }) => {
      write(".env", "SECRET=mine\n");
      write("build/out.bin", "mine\n");
      write("src/debug.log", "mine\n");
      write("deep/down/x.log", "mine\n");
    },
  },
  {
    name: "a stash, other branches, tags, notes",
    short: "tree",
    arrange: ({ write, git }) => {
      write("mine.txt", "stashed\n");
      git("stash", "-q");
      write("docs/guide.txt", "stashed too\n");
      write("untracked.txt", "stashed too\n");
      git("stash", "-q", "-u", "-m", "second");
      git("branch", "other");
      git("tag", "v1");
      git("notes", "add", "-m", "a note");
    },
  },
  {
    name: "files that git was told to assume unchanged or to skip, and that are edited",
    arrange: ({ git, write }) => {
      git("update-index", "--assume-unchanged", "mine.txt");
      git("update-index", "--skip-worktree", "docs/guide.txt");
      write("mine.txt", "edited in secret\n");
      write("docs/guide.txt", "a local version\n");
    },
  },
  {
    name: "large files: 200 MB of the person's, 30 MB of the agent's, two thousand small ones of each",
    kill: false,
    arrange: ({ write }) => {
      const block = new Uint8Array(200 * 1024 * 1024);
      block[7] = 1;
      write("data.bin", block);
      for (let n = 0; n < 2000; n++) write(`data/${n % 20}/${n}.txt`, `mine ${n}\n`);
    },
    script: {
      ...usual,
      "t-2": [
        {
          write: { "src/two.txt": "BROKEN\n" },
          run: [
            [
              "sh",
              "-c",
              "head -c 30000000 /dev/urandom > src/big.bin; for n in $(seq 2000); do echo $n > src/n-$n; done",
            ],
          ],
        },
      ],
    },
    check: ({ git }) => {
      const ref = "refs/ralph/salvage/t-2-2";
      expect(git("cat-file", "-s", `${ref}:src/big.bin`)).toBe("30000000");
      expect(git("ls-tree", "--name-only", `${ref}:src`).split("\n").length).toBeGreaterThan(2000);
    },
  },
  {
    name: "files of the person's that only they may read, and read-only ones",
    arrange: ({ write, top }) => {
      for (const [name, mode] of [
        ["secret.key", 0o600],
        ["locked.txt", 0o444],
      ] as const) {
        write(name, "mine\n");
        execFileSync("chmod", [mode.toString(8), join(top, name)]);
      }
    },
  },
  {
    name: "an agent that stashes beside a stash of the person's",
    stashes: true,
    arrange: ({ write, git }) => {
      write("mine.txt", "stashed by the person\n");
      git("stash", "-q");
    },
    script: {
      ...usual,
      "t-2": [
        {
          write: { "src/two.txt": "BROKEN\n", "src/shared.txt": "edited, then stashed\n" },
          run: [["git", "stash", "-q"]],
        },
      ],
    },
    check: (_, ended) => expect(warningsOf(ended).join("\n")).toMatch(/stashed work.*git stash/),
  },
  {
    name: "an agent that pops one stash of the person's and drops the other",
    arrange: ({ write, git }) => {
      for (const text of ["stashed first", "stashed second"]) {
        write("mine.txt", `${text}\n`);
        git("stash", "-q");
      }
    },
    script: {
      ...usual,
      "t-2": [
        {
          write: { "src/two.txt": "BROKEN\n" },
          run: [
            ["sh", "-c", "git stash pop -q && git checkout -q mine.txt"],
            ["git", "stash", "drop", "-q"],
          ],
        },
      ],
    },
    check: (_, ended) => expect(warningsOf(ended).join("\n")).toMatch(/put back.*stash/),
  },
];
