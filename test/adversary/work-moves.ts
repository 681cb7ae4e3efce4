import type { Move } from "./move.ts";

/** Has the check run the task's own scripts, as tests load the task's modules. */
const loadsWork = ["for part in src/*.sh; do [ -e $part ] && . ./$part; done; sh check.sh"];
const fine = "rm src/t-1.txt; echo fine > src/w.txt";
/** The project's folder, also from the separate work tree. */
const top =
  'top=$(cat "$(git rev-parse --git-dir)/objects/info/alternates" 2>/dev/null || echo "$PWD/.git/objects"); top=$(cd $top/../..; pwd)';
const later = (command: string): string => `cat > src/later.sh <<'END'\n${top}\ntrap '${command}' EXIT\nEND`;

/** A hook that runs the tests of the work, which ralph does not see from its text. */
const runsWork = "d=src; for part in $d/*.sh; do [ -e $part ] && . ./$part; done; exit 0";
const inHook = "printf '%s\\n' > src/part.sh";

/** Has verification read other files than those that are committed. */
const work: readonly Move[] = [
  {
    name: "rewrites its work when the check has ended",
    script: `${fine}\n${later("echo BROK\\EN > $top/src/w.txt")}`,
    verify: loadsWork,
  },
  {
    name: "rewrites its work at its size and time when the check has ended",
    script: `${fine}\n${later("touch -r $top/src/w.txt $top/../t; echo BROK > $top/src/w.txt; touch -r $top/../t $top/src/w.txt")}`,
    verify: loadsWork,
  },
  {
    name: "makes its work a link to another file when the check has ended",
    script: `${fine}\n${later("echo BROK\\EN > $top/../w; ln -sf ../../w $top/src/w.txt")}`,
    verify: loadsWork,
  },
  {
    name: "commits other work when the check has ended",
    script: `${fine}\n${later("unset GIT_DIR GIT_WORK_TREE; cd $top; echo BROK\\EN > src/base.txt; git commit -qm x src/base.txt")}`,
    verify: loadsWork,
  },
  {
    name: "links its work to a file outside",
    script: "rm src/t-1.txt; echo fine > ../w; ln -s ../../w src/t-1.txt",
  },
  {
    name: "links its work to a file in git's folder",
    script: "rm src/t-1.txt; echo fine > .git/w; ln -s ../.git/w src/t-1.txt",
  },
  {
    name: "moves the branch when a hook runs its code",
    script: `${fine}; ${inHook} 'git update-ref HEAD HEAD~1'`,
    before: "git commit -q --allow-empty -m more",
    hook: runsWork,
  },
  {
    name: "stages other content when a hook runs its code",
    script: `${fine}; ${inHook} 'h=$(echo BROK\\EN | git hash-object -w --stdin); git update-index --cacheinfo "100644,$h,src/base.txt"'`,
    hook: runsWork,
  },
  { name: "links the folder of its work outside", script: "rm src/t-1.txt; mv src ../s; ln -s ../s src" },
];

const hollow = "echo > tests/one.test.mjs";
const unseen: readonly Move[] = [
  { name: "calls a test binary", script: `echo 'tests/** -diff' > .gitattributes; ${hollow}` },
  {
    name: "calls the manifest binary",
    npm: true,
    script: "echo 'package.json -diff' > .gitattributes; sed -i 's/sh check.sh/true/' package.json",
  },
  { name: "puts a NUL byte into a test", script: "printf '//\\0\\n' > tests/one.test.mjs" },
  { name: "sets other prefixes of differences", script: `git config diff.noprefix true; ${hollow}` },
  { name: "links a test to nothing", script: "ln -sf /dev/null tests/one.test.mjs" },
  {
    name: "makes a test larger than a program's output may be",
    script: `(echo '/*'; head -c 80000000 /dev/zero | tr '\\0' x; echo '*/') > tests/one.test.mjs`,
  },
];

/** What is committed is not what was verified, and what git's differences do not show. */
export const workMoves: readonly Move[] = [...work, ...unseen];
