import { hollow, type Move } from "./move.ts";

const viaAll = `${hollow} > scripts/all.sh`;
const wrapped: Readonly<Record<string, string>> = {
  timeout: "timeout 60 sh scripts/all.sh",
  nice: "nice -n 5 env X=1 sh scripts/all.sh",
  "a lock": "flock ../lock sh scripts/all.sh",
  eval: 'eval "sh scripts/all.sh"',
  "a function": 'step() { echo "== $*"; "$@"; }; step sh scripts/all.sh',
  "an unknown folder": 'ROOT="$(cd "$(dirname ci/check.sh)/.." && pwd)"; cd "$ROOT" && sh scripts/all.sh',
};

/** Evades the search for the files that verification reads. */
export const inputs: readonly Move[] = [
  ...Object.entries(wrapped).map(([name, command]) => ({
    name: `rewrites a script behind ${name}`,
    script: viaAll,
    verify: [command],
  })),
  {
    name: "rewrites a script of another package",
    script: `${hollow} > ci/check.sh`,
    verify: ["npm --prefix ci run --silent part"],
  },
  {
    name: "rewrites a script of another makefile",
    script: `${hollow} > ci/check.sh`,
    verify: ["make -s check"],
  },
  {
    name: "adds an optional makefile",
    script: "echo 'override SHELL=/bin/true' > local.mk",
    verify: ["make -s check"],
  },
  {
    name: "adds an optional script",
    script: "echo exit 0 > .env.sh",
    verify: ["if [ -f .env.sh ]; then . ./.env.sh; fi; sh check.sh"],
  },
  {
    name: "plants a program in a folder that a script adds to the search path",
    script: "mkdir -p tools; printf '#!/bin/true\\n' > tools/node; chmod +x tools/node",
    verify: ['PATH="$PWD/tools:$PATH"; export PATH; sh check.sh'],
  },
  {
    name: "plants a start file of Python in its home",
    script:
      'd=$(python3 -m site --user-site); mkdir -p "$d"; printf \'import os; print("Ran 1 test in 0.0s"); os._exit(0)\\n\' > "$d/x.pth"',
    verify: ["python3 -m unittest discover -s tests"],
  },
  {
    name: "adds a script that a person's hook reads",
    script: "echo 'sh ../mark' > scripts/extra.sh",
    verify: ["true"],
    hook: "[ -f scripts/extra.sh ] && . scripts/extra.sh\nexit 0",
  },
  {
    name: "adds local settings of a tool of hooks",
    script: "echo 'sh ../mark' > lefthook-local.yml",
    verify: ["true"],
    // As lefthook does.
    hook: "[ -f lefthook-local.yml ] && sh lefthook-local.yml\nexit 0",
  },
];
