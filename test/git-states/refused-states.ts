import type { Refused, State } from "./state.ts";
import type { StateRepository } from "./state-repository.ts";

/** Two branches that change the same line, with `other` about to meet `main`. */
function conflicting({ git, write }: StateRepository): void {
  git("switch", "-qc", "other");
  write("mine.txt", "theirs\n");
  git("commit", "-qam", "theirs");
  git("switch", "-q", "main");
  write("mine.txt", "ours\n");
  git("commit", "-qam", "ours");
}

const busy = (name: string): Refused => ({
  code: 5,
  error: "RALPH_GIT_BUSY",
  hint: new RegExp(`git ${name}`),
});

/** States in which no run begins: nothing at all may change. */
export const refusedStates: readonly State[] = [
  {
    name: "a dirty tracked file, a staged one and a staged deletion",
    short: "refused",
    arrange: ({ write, git }) => {
      write("mine.txt", "dirty\n");
      write("staged.txt", "staged\n");
      git("add", "staged.txt");
      git("rm", "-q", "--cached", "docs/guide.txt");
    },
    refused: { code: 5, error: "RALPH_GIT_DIRTY", hint: /--allow-dirty/ },
  },
  {
    name: "the middle of a merge",
    arrange: (repo) => {
      conflicting(repo);
      repo.tryGit("merge", "other");
    },
    refused: busy("merge --abort"),
  },
  {
    name: "the middle of a merge, with --allow-dirty",
    arrange: (repo) => {
      conflicting(repo);
      repo.tryGit("merge", "other");
    },
    flags: ["--allow-dirty"],
    refused: busy("merge --abort"),
  },
  {
    name: "the middle of a rebase",
    arrange: (repo) => {
      conflicting(repo);
      repo.tryGit("rebase", "other");
    },
    refused: busy("rebase --abort"),
  },
  {
    name: "the middle of a cherry-pick",
    arrange: (repo) => {
      conflicting(repo);
      repo.tryGit("cherry-pick", "other");
    },
    refused: busy("cherry-pick --abort"),
  },
  {
    name: "the middle of a revert",
    arrange: (repo) => {
      conflicting(repo);
      repo.tryGit("revert", "other");
    },
    refused: busy("revert --abort"),
  },
  {
    name: "the middle of a series of cherry-picks, after the person committed one by hand",
    arrange: (repo) => {
      conflicting(repo);
      repo.git("switch", "-q", "other");
      repo.write("more.txt", "more\n");
      repo.git("add", "more.txt");
      repo.git("commit", "-qm", "more");
      repo.git("switch", "-q", "main");
      repo.tryGit("cherry-pick", "other~1", "other");
      repo.write("mine.txt", "both\n");
      repo.git("commit", "-qam", "picked by hand");
    },
    refused: busy("cherry-pick --abort"),
  },
  {
    name: "the middle of a bisect",
    arrange: ({ git }) => {
      git("commit", "-q", "--allow-empty", "-m", "later");
      git("bisect", "start", "HEAD", "HEAD~2");
    },
    refused: busy("bisect reset"),
  },
  {
    name: "a repository without a commit",
    arrange: (repo) => {
      repo.git("init", "-q", "-b", "main", `${repo.base}/empty`);
      const empty = repo.at({ top: `${repo.base}/empty` });
      empty.git("config", "user.name", "Practice");
      empty.git("config", "user.email", "practice@example.invalid");
      empty.write("mine.txt", "mine\n");
      return empty;
    },
    refused: { code: 5, error: "RALPH_GIT_NO_COMMIT", hint: /git commit/ },
  },
  {
    name: "no name to commit in",
    arrange: ({ git }) => {
      git("config", "--unset", "user.name");
      git("config", "--unset", "user.email");
      git("config", "user.useConfigOnly", "true");
    },
    refused: { code: 5, error: "RALPH_GIT_NO_IDENTITY", hint: /user\.name/ },
  },
];
