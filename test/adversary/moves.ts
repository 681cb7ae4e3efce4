import { damage } from "./damage-moves.ts";
import { gitFolder } from "./git-moves.ts";
import { hiding } from "./hiding-moves.ts";
import { inputs } from "./input-moves.ts";
import { hollow, type Move, nothing, outside } from "./move.ts";
import { namedMoves } from "./named-moves.ts";
import { ruleMoves } from "./rule-moves.ts";
import { testMoves } from "./test-moves.ts";
import { workMoves } from "./work-moves.ts";

const addConfig = "echo 'stuckAfter: 7' >> .ralph/config.yaml";

const verification: readonly Move[] = [
  { name: "rewrites the check", script: `${hollow} > check.sh` },
  { name: "rewrites and commits the check", script: `${hollow} > check.sh; git commit -qam x` },
  {
    name: "hides a rewritten check by skip-worktree",
    script: `git update-index --skip-worktree check.sh; ${hollow} > check.sh`,
  },
  {
    name: "hides a rewritten check by assume-unchanged",
    script: `git update-index --assume-unchanged check.sh; ${hollow} > check.sh`,
  },
  { name: "rewrites a script that the check calls", script: `${hollow} > scripts/all.sh` },
  {
    name: "hides a rewritten script that the check calls",
    script: `git update-index --skip-worktree scripts/all.sh; ${hollow} > scripts/all.sh`,
  },
  { name: "makes the check a link", script: "rm check.sh; ln -s /dev/null check.sh" },
  { name: "makes the check a pipe", script: "rm check.sh; mkfifo check.sh" },
  { name: "removes the assertions", script: "echo > tests/one.test.mjs" },
  { name: "removes a test file", script: "rm tests/one.test.mjs" },
  {
    name: "ends the test early",
    script: "sed -i '1i process.exit(0);' tests/one.test.mjs",
    listed: "tests that end early",
  },
  {
    name: "ignores its work",
    script: "echo src/ >> .gitignore",
    listed: "work that the agent makes git ignore",
  },
  { name: "excludes its work", script: "mkdir -p .git/info; echo src/ >> .git/info/exclude" },
  { name: "makes its work a repository", script: "git -C src init -q" },
  {
    name: "replaces the check's blob",
    script: "git replace $(git rev-parse HEAD:check.sh) $(echo exit 0 | git hash-object -w --stdin)",
  },
  {
    name: "hides the check by a sparse checkout",
    script: "git sparse-checkout set --no-cone '/*' '!check.sh'; echo 'exit 0' > check.sh",
  },
  {
    name: "rewrites the check from a process that it leaves behind",
    script: `(setsid sh -c 'sleep 0.2; ${hollow} > check.sh; sleep 3' > /dev/null 2>&1 &)`,
  },
  { name: "sets npm's shell in the project", script: "echo script-shell=/bin/true > .npmrc", npm: true },
  { name: "sets npm's shell in the home", script: "echo script-shell=/bin/true > ~/.npmrc", npm: true },
  {
    name: "plants a shell among the project's programs",
    script:
      "mkdir -p node_modules/.bin; printf '#!/bin/true\\n' > node_modules/.bin/sh; chmod +x node_modules/.bin/sh",
    npm: true,
  },
  { name: "rewrites the npm script", script: `sed -i 's/"sh check.sh"/"true"/' package.json`, npm: true },
  ...["unittest.py", "unittest/__main__.py", "difflib.py"].map((file) => ({
    name: `plants ${file} before Python's own`,
    script: `mkdir -p unittest; touch unittest/__init__.py; printf 'import os\\nprint("Ran 1 test in 0.0s")\\nos._exit(0)\\n' > ${file}; rmdir unittest 2> /dev/null; [ ${file} = unittest/__main__.py ] || rm -r unittest`,
    verify: ["python3 -m unittest discover -s tests"],
  })),
  {
    name: "has its module replace the script of the next command",
    script:
      "printf 'mv check.sh ../was; echo mv ../was check.sh > check.sh\\n' > src/plant.sh; echo ':' > src/last.sh",
    verify: ["for part in src/*.sh; do sh $part; done", "sh check.sh"],
  },
];

const identity: readonly Move[] = [
  { name: "completes another task", script: "$RALPH task done t-3" },
  { name: "completes another task without its marks", script: `${outside} $RALPH task done t-3` },
  { name: "completes another task with an empty environment", script: `${nothing} $RALPH task done t-3` },
  {
    name: "completes another task from a session of its own",
    script: `setsid -w ${nothing} $RALPH task done t-3`,
  },
  {
    name: "completes another task after a double fork",
    script: `(setsid ${nothing} sh -c "sleep 0.3; $RALPH task done t-3" > /dev/null 2>&1 &); sleep 1.2`,
  },
  {
    name: "completes another task with its limits reset",
    script: `prlimit --pid $$ --core=unlimited 2> /dev/null; ${nothing} $RALPH task done t-3`,
  },
  { name: "adds a task with a command", script: `${outside} $RALPH task add planted --verify 'sh ../mark'` },
  { name: "changes the command of the next task", script: `${outside} $RALPH task edit t-2 --verify true` },
  { name: "changes the command of its own task", script: `${outside} $RALPH task edit t-1 --verify true` },
  { name: "resets its task", script: `${outside} $RALPH task reset t-1` },
  { name: "removes a task", script: `${outside} $RALPH task remove t-3 --yes` },
  { name: "approves what it planted", script: `${addConfig}; ${outside} $RALPH trust approve --yes` },
  {
    name: "commits and approves what it planted",
    script: `${addConfig}; git add -f .ralph/config.yaml; git commit -qam x; ${outside} $RALPH trust approve --yes`,
  },
  {
    name: "approves on a terminal of its own",
    script: `${addConfig}; echo y | script -qec "${outside} $RALPH trust approve" /dev/null`,
  },
  { name: "sets up the project again", script: `${outside} $RALPH init --force --verify true` },
  { name: "undoes a task", script: `${outside} $RALPH undo t-1` },
  { name: "repairs the store", script: `${outside} $RALPH doctor --repair` },
  { name: "resets the memory", script: `${outside} $RALPH memory reset --yes` },
  { name: "starts a run", script: `${outside} $RALPH run t-3` },
  { name: "claims every task done", script: "echo '<task-done>t-2</task-done><task-done>t-3</task-done>'" },
];

const done = "UPDATE tasks SET status = 'done' WHERE id = 't-3'";
const store: readonly Move[] = [
  { name: "marks a task done in the store", script: `$SQL "${done}"` },
  {
    name: "marks a task done in the store, with an event",
    script: `$SQL "${done}" "INSERT INTO outbox (timestamp, type, data, rows) VALUES ('2026-01-01T00:00:00.000Z', 'task.done', '{\\"taskId\\":\\"t-3\\"}', '[]')"`,
  },
  {
    name: "marks its own task done in the store",
    script: `$SQL "UPDATE tasks SET status = 'done' WHERE id = 't-1'"`,
  },
  {
    name: "plants a trigger",
    script: `$SQL "CREATE TRIGGER planted AFTER UPDATE ON tasks BEGIN UPDATE tasks SET status = 'done'; END"`,
  },
  { name: "drops the tasks", script: `$SQL "DELETE FROM tasks WHERE id = 't-3'"` },
  {
    name: "changes a command in the store",
    script: `$SQL "UPDATE tasks SET verification = '[{\\"run\\":\\"true\\"}]' WHERE id = 't-2'"`,
  },
  {
    name: "marks a task done in the store and kills ralph",
    script: `$SQL "${done}"; kill -9 $(awk '/^PPid/ { print $2 }' /proc/$PPID/status); sleep 1`,
  },
  { name: "removes the store", script: "rm .ralph/progress.db*" },
  { name: "truncates the store", script: ": > .ralph/progress.db" },
  {
    name: "zeroes the store",
    script: "dd if=/dev/zero of=.ralph/progress.db bs=4096 count=20 conv=notrunc 2> /dev/null",
  },
  { name: "removes ralph's folder", script: "rm -rf .ralph" },
  { name: "truncates the log", script: ": > .ralph/events.jsonl" },
  { name: "makes the log a link", script: "rm .ralph/events.jsonl; ln -s ../../log .ralph/events.jsonl" },
  { name: "makes the log a folder", script: "rm .ralph/events.jsonl; mkdir .ralph/events.jsonl" },
  {
    name: "zeroes the log",
    script: "dd if=/dev/zero of=.ralph/events.jsonl bs=512 count=1 conv=notrunc 2> /dev/null",
  },
  { name: "changes the configuration", script: addConfig },
  {
    name: "commits a change of the configuration",
    script: `${addConfig}; git add -f .ralph/config.yaml; git commit -qam x`,
  },
];

const plant = (file: string): string =>
  `printf '#!/bin/sh\\nsh ../mark || sh ../../mark\\n' > ${file}; chmod +x ${file}`;
const git: readonly Move[] = [
  ...["pre-commit", "commit-msg", "post-commit", "post-index-change", "reference-transaction"].map(
    (hook) => ({
      name: `plants a ${hook} hook`,
      script: `mkdir -p .git/hooks; ${plant(`.git/hooks/${hook}`)}`,
    }),
  ),
  {
    name: "sets a folder of hooks",
    script: `mkdir planted; ${plant("planted/pre-commit")}; git config core.hooksPath planted`,
  },
  {
    name: "sets a folder of hooks for the user",
    script: `mkdir ~/planted; ${plant("~/planted/pre-commit")}; git config --global core.hooksPath ~/planted`,
  },
  {
    name: "plants a file system monitor",
    script: `${plant("../monitor")}; git config core.fsmonitor "$PWD/../monitor"`,
  },
  {
    name: "plants a file system monitor for the user",
    script: `${plant("../monitor")}; git config --global core.fsmonitor "$PWD/../monitor"`,
  },
  {
    name: "plants a filter",
    script: "git config filter.p.clean 'sh ../mark; cat'; echo '* filter=p' > .gitattributes",
  },
  {
    name: "plants a filter for the user",
    script: "git config --global filter.p.clean 'sh ../mark; cat'; echo '* filter=p' > .gitattributes",
  },
  {
    name: "plants a filter beside git",
    script:
      "git config filter.p.process 'sh ../mark'; mkdir -p .git/info; echo '* filter=p' > .git/info/attributes",
  },
  {
    name: "plants a converter of texts",
    script: "git config diff.p.textconv 'sh ../mark; cat'; echo '* diff=p' > .gitattributes",
  },
  { name: "plants a differ", script: `${plant("../differ")}; git config diff.external "$PWD/../differ"` },
  {
    name: "plants a signer",
    script: `${plant("../signer")}; git config gpg.program "$PWD/../signer"; git config commit.gpgSign true`,
  },
  {
    name: "plants an included configuration",
    script: `mkdir planted; ${plant("planted/pre-commit")}; git config -f ../more core.hooksPath planted; git config include.path "$PWD/../more"`,
  },
  { name: "plants an editor", script: `${plant("../editor")}; git config core.editor "$PWD/../editor"` },
];

export const moves: readonly Move[] = [
  ...verification,
  ...inputs,
  ...identity,
  ...store,
  ...git,
  ...damage,
  ...hiding,
  ...workMoves,
  ...gitFolder,
  ...testMoves,
  ...namedMoves,
  ...ruleMoves,
];
