import { hollow, type Move, nothing, outside } from "./move.ts";

const completes = `${outside} $RALPH task done t-3`;
const marksDone = `$SQL "UPDATE tasks SET status = 'done' WHERE id = 't-3'"`;

/** Damages git's folder, so that what ralph asks git fails, hangs or answers for another folder. */
const git: readonly Move[] = [
  ...["index", "HEAD", "config"].map((file) => ({
    name: `makes git's ${file} a pipe`,
    script: `rm .git/${file}; mkfifo .git/${file}`,
  })),
  ...[".gitignore", ".gitattributes", "~/.gitconfig", ".npmrc", ".ralph/prompt.md"].map((file) => ({
    name: `plants a pipe as ${file}`,
    script: `rm -f ${file}; mkfifo ${file}`,
  })),
  ...[".claude", ".agents", "~/.config", "~/.config/git"].flatMap((place) => [
    {
      name: `puts a file in place of the folder ${place}`,
      script: `rm -rf ${place}; mkdir -p $(dirname ${place}); echo x > ${place}`,
    },
    {
      name: `puts a pipe in place of the folder ${place}`,
      script: `rm -rf ${place}; mkdir -p $(dirname ${place}); mkfifo ${place}`,
    },
  ]),
  { name: "makes git's index garbage", script: "printf 'garbage' > .git/index" },
  { name: "removes git's index", script: "rm .git/index" },
  { name: "points HEAD outside", script: "echo 'ref: refs/heads/../../../x' > .git/HEAD" },
  { name: "makes git's configuration huge", script: "truncate -s 5G .git/config" },
  { name: "makes a hook huge", script: "mkdir -p .git/hooks; truncate -s 5G .git/hooks/pre-commit" },
  { name: "makes the user's git configuration huge", script: "truncate -s 5G ~/.gitconfig" },
  {
    name: "plants a filter in a padded user's git configuration",
    script: `printf '[filter "p"]\\n\\tclean = "sh %s; cat"\\n' "$(cd ..; pwd)/mark" > ~/.gitconfig; head -c 20000000 /dev/zero | tr '\\0' '#' >> ~/.gitconfig; echo '* filter=p' > .gitattributes`,
  },
  {
    name: "plants hooks in the user's configuration of ralph",
    script: `mkdir -p "$XDG_CONFIG_HOME/ralph"; printf 'events: { hooks: [{ on: "*", run: [sh, %s] }] }\\n' "$(cd ..; pwd)/mark" > "$XDG_CONFIG_HOME/ralph/config.yaml"`,
  },
  {
    name: "makes the user's configuration of ralph a pipe",
    script: `mkdir -p "$XDG_CONFIG_HOME/ralph"; rm -f "$XDG_CONFIG_HOME/ralph/config.yaml"; mkfifo "$XDG_CONFIG_HOME/ralph/config.yaml"`,
  },
  ...["sequencer/todo", "objects/info/commit-graphs/commit-graph-chain", "refs/heads/feature/x"].map(
    (file) => ({
      name: `makes .git/${file} a pipe`,
      script: `mkdir -p "$(dirname .git/${file})"; rm -f .git/${file}; mkfifo .git/${file}`,
    }),
  ),
  {
    name: "fills a folder of ralph's refs",
    script: "mkdir -p .git/refs/ralph/salvage; (cd .git/refs/ralph/salvage; seq 100000 | xargs touch)",
  },
  {
    name: "makes the list of stashes huge",
    script: "mkdir -p .git/logs/refs; truncate -s 3G .git/logs/refs/stash",
  },
  { name: "makes the repository bare", script: "git config core.bare true" },
  { name: "moves the work tree", script: "cp -r . ../other; git config core.worktree $PWD/../other" },
  { name: "moves git's folder", script: 'mv .git ../g; echo "gitdir: $PWD/../g" > .git' },
  { name: "links git's folder", script: "mv .git ../g; ln -s ../g .git" },
  { name: "grafts the history", script: "mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts" },
  { name: "leaves a lock of the index", script: "touch .git/index.lock" },
  { name: "begins a merge", script: "git rev-parse HEAD > .git/MERGE_HEAD; echo x > .git/MERGE_MSG" },
  {
    name: "goes to another branch and deletes this one",
    script: "git checkout -qb other; git branch -D main",
  },
  { name: "names a tag as the branch", script: "git commit -q --allow-empty -m x; git tag main HEAD~1" },
  {
    name: "excludes its work for the user",
    script: "mkdir -p ~/config/git; echo src/ > ~/config/git/ignore",
  },
  {
    name: "plants a monitor for this work tree",
    script:
      "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor 'sh ../mark'; git status -s > /dev/null",
  },
  {
    name: "plants a filter in a repository within",
    script:
      "git init -q sub; cd sub; echo x > f; git add f; git -c user.name=x -c user.email=x commit -qm x; git config filter.p.clean 'sh ../../mark; cat'; echo '* filter=p' > .git/info/attributes; cd ..; git add sub; echo y >> sub/f",
  },
  {
    name: "plants a remote for missing objects",
    script:
      "git config remote.o.url $PWD; git config remote.o.uploadpack 'sh ../mark'; git config remote.o.promisor true; git config extensions.partialClone o; b=$(git rev-parse HEAD:check.sh); rm -f .git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)",
  },
];

const verification: readonly Move[] = [
  {
    name: "adds a command before the npm script",
    npm: true,
    script: `sed -i 's/"check": /"precheck": "echo > tests\\/one.test.mjs", "check": /' package.json`,
  },
  {
    name: "preloads a module by npm's configuration",
    npm: true,
    script: "echo 'process.exit(0)' > early.cjs; echo node-options=--require ./early.cjs > .npmrc",
  },
  {
    name: "plants a node among the project's programs",
    npm: true,
    script:
      "mkdir -p node_modules/.bin; echo node_modules >> .git/info/exclude; printf '#!/bin/true\\n' > node_modules/.bin/node; chmod +x node_modules/.bin/node",
  },
  {
    name: "rewrites the check in its size and at its time",
    script: "touch -r check.sh ../t; printf 'exit 0;#cripts/all\\n' > check.sh; touch -r ../t check.sh",
  },
  {
    name: "hides a rewritten check by the monitor's mark",
    script: `git config core.fsmonitor true; git update-index --fsmonitor-valid check.sh; ${hollow} > check.sh`,
  },
  {
    name: "links the folder of scripts outside",
    script: `cp -r scripts ../s; ${hollow} > ../s/all.sh; rm -r scripts; ln -s ../s scripts`,
  },
  { name: "makes the check a hard link", script: `${hollow} > ../h; rm check.sh; ln ../h check.sh` },
  { name: "renames the test file", script: "mv tests/one.test.mjs tests/one.mjs" },
];

const store: readonly Move[] = [
  {
    name: "links ralph's folder to a copy",
    script: `cp -r .ralph ../r; rm -rf .ralph; ln -s ../r .ralph; ${marksDone}`,
  },
  {
    name: "recreates ralph's folder",
    script: `mv .ralph ../r; mkdir .ralph; mv ../r/* .ralph/; ${marksDone}`,
  },
  { name: "makes ralph's folder a pipe", script: "rm -rf .ralph; mkfifo .ralph" },
  { name: "makes the store a pipe", script: "rm .ralph/progress.db*; mkfifo .ralph/progress.db" },
  { name: "makes the log a pipe", script: "rm .ralph/events.jsonl; mkfifo .ralph/events.jsonl" },
  {
    name: "fills the store's log with garbage",
    script: "head -c 40000 /dev/urandom > .ralph/progress.db-wal",
  },
  { name: "drops a table", script: `${marksDone}; $SQL 'PRAGMA foreign_keys=OFF' 'DROP TABLE outbox'` },
  {
    name: "drops the tables of iterations",
    script: `${marksDone}; $SQL 'PRAGMA foreign_keys=OFF' 'DROP TABLE iterations' 'DROP TABLE claims' 'DROP TABLE runs'`,
  },
  {
    name: "puts a view in a table's place",
    script: `${marksDone}; $SQL 'ALTER TABLE tasks RENAME TO t2' 'CREATE VIEW tasks AS SELECT * FROM t2'`,
  },
  { name: "raises the store's version", script: `${marksDone}; $SQL 'PRAGMA user_version = 999'` },
  {
    name: "ignores outcomes by a trigger",
    script: `${marksDone}; $SQL "CREATE TRIGGER z BEFORE INSERT ON iteration_outcomes BEGIN SELECT RAISE(IGNORE); END"`,
  },
  {
    name: "writes a done into the log",
    script: `echo '{"type":"task.done","taskId":"t-3","rows":[{"table":"tasks","op":"put","row":{"id":"t-3","status":"done"}}]}' >> .ralph/events.jsonl`,
  },
  { name: "removes a line of the log", script: `${marksDone}; sed -i 2d .ralph/events.jsonl` },
  { name: "removes ralph's state", script: `${marksDone}; rm -rf ~/state` },
  {
    name: "links ralph's state into /proc",
    script: `${marksDone}; rm -rf ~/state; ln -s /proc/self ~/state`,
  },
  {
    name: "makes ralph's state pipes",
    script: `${marksDone}; for f in $(find ~/state -type f); do rm $f; mkfifo $f; done`,
  },
];

const floods: readonly Move[] = Object.entries({
  "empty lines": "head -c 5000000 /dev/zero | tr '\\0' '\\n'",
  brackets: "head -c 5000000 /dev/zero | tr '\\0' '['",
  "lines that are almost events": `awk 'BEGIN { for (i = 0; i < 100000; i++) print "{\\"type\\":\\"task.done\\",}" }'`,
}).map(([name, flood]) => ({
  name: `floods the log with ${name}`,
  before: "touch ../began",
  script: `${marksDone}; ${flood} >> .ralph/events.jsonl`,
  after: "[ $(($(date +%s) - $(stat -c %Y ../began))) -lt 60 ] || sh ../mark",
}));

const identity: readonly Move[] = [
  { name: "completes another task as if in its iteration", script: "RALPH_TASK_ID=t-3 $RALPH task done t-3" },
  {
    name: "completes another task from a namespace of its own",
    script: `unshare -Urfp --mount-proc ${nothing} $RALPH task done t-3`,
  },
  {
    name: "completes another task through a link to the project",
    script: `ln -s $PWD ../alias; cd ../alias; ${completes}`,
  },
  {
    name: "completes another task in a work tree of git",
    script: `git worktree add -q ../tree; cd ../tree; ${completes}`,
  },
  {
    name: "completes another task in a copy, and brings its store",
    script: `cp -r . ../copy; (cd ../copy; ${completes}); cp ../copy/.ralph/progress.db* .ralph/`,
  },
  {
    name: "approves with a state of its own",
    script: `echo 'stuckAfter: 7' >> .ralph/config.yaml; ${outside} XDG_STATE_HOME=$PWD/../st $RALPH trust approve --yes`,
  },
  { name: "sets the configuration by a command", script: `${outside} $RALPH config set stuckAfter 7` },
  {
    name: "imports a list of done tasks",
    script: `printf -- '- [x] Third\\n- [ ] --yes\\n' > list.md; ${outside} $RALPH task import list.md`,
  },
  { name: "stops the run", script: `${outside} $RALPH stop --now` },
];

const output: readonly Move[] = [
  { name: "prints a line of 100 MB", script: "head -c 100000000 /dev/zero | tr '\\0' x; echo" },
  {
    name: "opens 100,000 learnings",
    script: `awk 'BEGIN { for (i = 0; i < 100000; i++) printf "<learning>" }'`,
  },
  {
    name: "leaves 100 processes",
    script: "for i in $(seq 100); do (setsid sleep 60 > /dev/null 2>&1 &); done",
  },
  {
    name: "writes names in other bytes",
    script: `f=$(printf 'src/\\377.txt'); echo x > "$f"; mkdir -p .claude/skills/s; f=$(printf '.claude/skills/s/\\377'); echo x > "$f"`,
  },
];

/** Damages what ralph rests on, mostly beside a task that is planted as done. */
export const damage: readonly Move[] = [...git, ...verification, ...store, ...floods, ...identity, ...output];
