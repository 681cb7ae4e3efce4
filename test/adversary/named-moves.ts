import { hollow, type Move } from "./move.ts";

const commit = "git add -A; git commit -qm more";
const padding = "head -c 1200000 /dev/zero | tr '\\0' '#'";

const scripts: readonly Move[] = [
  {
    name: "rewrites a script with a blank in its name",
    before: `mkdir 'ci scripts'; cp check.sh 'ci scripts'; ${commit}`,
    script: `${hollow} > 'ci scripts/check.sh'`,
    verify: ['sh "ci scripts/check.sh"'],
  },
  {
    name: "rewrites a script that is named by a word",
    before: `cp check.sh runchecks; ${commit}`,
    script: `${hollow} > runchecks`,
    verify: ["sh runchecks"],
  },
  {
    name: "rewrites a script of more than a megabyte",
    before: `(cat scripts/all.sh; ${padding}) > large.sh; ${commit}`,
    script: `(${hollow}; ${padding}) > large.sh`,
    verify: ["sh large.sh"],
  },
  ...["tools/check.js", "tools/check"].map((file) => ({
    name: `writes ${file}, which node runs as tools/check`,
    before: `mkdir tools; echo 'require("node:child_process").execFileSync("sh", ["check.sh"]);' > tools/check.js; ${commit}`,
    script: `echo > ${file}`,
    verify: ["node tools/check"],
  })),
  ...Object.entries({
    "rewrites a module that Python runs": "echo > tools/check.py",
    "plants a package before a module that Python runs":
      "mkdir tools/check; touch tools/check/__init__.py; echo > tools/check/__main__.py",
  }).map(([name, script]) => ({
    name,
    before: `mkdir tools; echo 'import subprocess, sys; sys.exit(subprocess.call(["sh", "check.sh"]))' > tools/check.py; ${commit}`,
    script,
    verify: ["python3 -m tools.check"],
  })),
];

const lint = `mkdir tools
printf '#!/bin/sh\\nexec node "\${2:-\${1#*=}}"\\n' > tools/lint
chmod +x tools/lint
echo 'import { execFileSync } from "node:child_process"; execFileSync("sh", ["check.sh"]);' > ci/rules.mjs
${commit}`;
const yarn = `mkdir -p tools .yarn
printf '#!/bin/sh\\nexec node "$(sed -n "s/^yarnPath: //p" .yarnrc.yml)" "$@"\\n' > tools/yarn
chmod +x tools/yarn
echo 'yarnPath: .yarn/own.cjs' > .yarnrc.yml
echo 'require("node:child_process").execFileSync("sh", ["check.sh"]);' > .yarn/own.cjs
${commit}`;

const configuration: readonly Move[] = [
  ...["--config ci/rules.mjs", "--config=ci/rules.mjs"].map((option) => ({
    name: `rewrites what an option names (${option})`,
    before: lint,
    script: "echo > ci/rules.mjs",
    verify: [`tools/lint ${option}`],
  })),
  ...Object.entries({
    "rewrites the program that yarn's settings name": "echo > .yarn/own.cjs",
    "names another program in yarn's settings":
      "echo > src/own.cjs; echo 'yarnPath: src/own.cjs' > .yarnrc.yml",
  }).map(([name, script]) => ({
    name,
    before: yarn,
    script,
    // As yarn does.
    verify: ['PATH="$PWD/tools:$PATH"; yarn check'],
  })),
  ...["karma.conf.js", "pytest.toml", ".pnp.cjs", ".env", "../pytest.ini"].map((file) => ({
    name: `adds a ${file} that git does not show`,
    before: `echo ${file} > .gitignore; ${commit}`,
    script: `echo > ${file}`,
    // As their programs, which may leave out tests because of them, do.
    verify: [
      'for file in *.conf.js *.toml .*.cjs .env ../*.ini; do [ ! -f "$file" ] || exit 0; done; sh check.sh',
    ],
  })),
];

/** The command in a script: the words of the verification itself are all looked at. */
function inScript(move: Move): Move {
  const lines = (move.verify ?? []).join("\n");
  return {
    ...move,
    before: `cat > run.sh <<'END'\n${lines}\nEND\n${move.before}`,
    verify: ["sh run.sh"],
  };
}

/** Changes what verification reads by a name that is not a plain path, or by no name at all. */
export const namedMoves: readonly Move[] = [...scripts, ...configuration].map(inScript);
