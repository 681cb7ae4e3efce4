import type { Move } from "./move.ts";

const precious = "echo precious > ~/victim; mkdir ~/folder";
const isPrecious = '[ "$(cat ~/victim)" = precious ] && [ -z "$(ls ~/folder)" ] || sh ../mark';
const copyWithFilter = (copy: string): string =>
  `cp -r .git ../${copy}; git config -f ../${copy}/config filter.p.clean 'sh ../mark; cat'; mkdir -p ../${copy}/info; echo '* filter=p' > ../${copy}/info/attributes`;
const inTree = "cd ../wt; touch check.sh; git status -s; git add check.sh";
const submodule =
  "git init -q ../inner; cd ../inner; echo a > a; git add a; git -c user.name=x -c user.email=x@x.invalid commit -qm a; cd ../project; git -c protocol.file.allow=always submodule add -q ../inner vendor/inner; git commit -qm inner";
const inSubmodule =
  "cp ../mark vendor/mark; cd vendor/inner; touch a; git status -s; git add a; git commit -q --allow-empty -m x";

const elsewhere: readonly Move[] = [
  {
    name: "points another work tree at a copy of git's folder",
    before: "git worktree add -q ../wt -b other",
    script: `${copyWithFilter("evil")}; (cd ../evil && pwd) > .git/worktrees/wt/commondir`,
    after: inTree,
  },
  {
    name: "leads another work tree to a copy of git's folder by its file",
    before: "git worktree add -q ../wt -b other",
    script: `${copyWithFilter("evil")}; echo "gitdir: $(cd ../evil && pwd)/worktrees/wt" > ../wt/.git`,
    after: inTree,
  },
  {
    name: "plants a monitor for another work tree",
    before: "git worktree add -q ../wt -b other; git config extensions.worktreeConfig true",
    script: "git config -f .git/worktrees/wt/config.worktree core.fsmonitor 'sh ../mark'",
    after: inTree,
  },
  {
    name: "plants a monitor for a submodule",
    before: submodule,
    script: "git -C vendor/inner config core.fsmonitor 'sh ../mark'",
    after: inSubmodule,
  },
  {
    name: "plants a hook in a submodule",
    before: submodule,
    script:
      "mkdir -p .git/modules/vendor/inner/hooks; printf '#!/bin/sh\\nsh ../mark\\n' > .git/modules/vendor/inner/hooks/pre-commit; chmod +x .git/modules/vendor/inner/hooks/pre-commit",
    after: inSubmodule,
  },
];

const links: readonly Move[] = ["COMMIT_EDITMSG", "logs/HEAD", "logs/refs/heads/main"].map((name) => ({
  name: `links git's ${name} to a person's file`,
  honest: true,
  before: precious,
  script: `rm -rf .git/${name}; ln -s ~/victim .git/${name}`,
  after: isPrecious,
}));

/** The work of the second task must be committed all the same. */
const goesOn = "[ $(git log --format=%s --grep='^Second' | wc -l) = 1 ] || sh ../mark";

const obstacles: readonly Move[] = [
  { name: "links git's logs to a person's folder", script: "rm -rf .git/logs; ln -s ~/folder .git/logs" },
  { name: "makes git's logs a file", script: "rm -rf .git/logs; echo x > .git/logs" },
  { name: "makes the log of HEAD a folder", script: "rm -f .git/logs/HEAD; mkdir -p .git/logs/HEAD/x" },
  {
    name: "makes the commit message a folder",
    script: "rm -f .git/COMMIT_EDITMSG; mkdir .git/COMMIT_EDITMSG",
  },
  ...["HEAD", "index", "config", "packed-refs", "refs/heads/main"].map((name) => ({
    name: `leaves .git/${name}.lock`,
    script: `touch .git/${name}.lock`,
  })),
  ...["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"].map((name) => ({
    name: `writes garbage to ${name}`,
    script: `echo garbage > .git/${name}`,
  })),
].map((move) => ({ ...move, honest: true, before: precious, after: `${goesOn}; ${isPrecious}` }));

export const gitFolder: readonly Move[] = [
  ...elsewhere,
  ...links,
  ...obstacles,
  {
    name: "plants steps of a rebase",
    honest: true,
    script:
      "mkdir .git/rebase-merge; cd .git/rebase-merge; git rev-parse HEAD > orig-head; git rev-parse HEAD > onto; echo 'detached HEAD' > head-name; echo 'exec sh ../mark' > git-rebase-todo; : > done; touch interactive",
    after: `${goesOn}; git rebase --continue`,
  },
];
