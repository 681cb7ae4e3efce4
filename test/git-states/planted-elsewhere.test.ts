import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { runRalph } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type StateRepository, stateRepositories, usual } from "./state-repository.ts";

// What an agent plants outside git's folder: in the user's folder, and in what a hook or a setting calls.

const newRepository = stateRepositories();

interface Move {
  /** What a person had before the run. */
  readonly before?: (repo: StateRepository) => void;
  /** What the agent does, besides its work; `$evil` is a program that leaves a line in the file of planted programs. */
  readonly agent: readonly string[];
  /** The outcome's warnings name it. */
  readonly reported: RegExp;
  /** A person's own hook that must still run. */
  readonly stillRuns?: boolean;
}

const commands = [
  "core.fsmonitor",
  "core.pager",
  "core.editor",
  "core.sshCommand",
  "diff.external",
  "diff.evil.textconv",
  "filter.evil.clean",
  "filter.evil.smudge",
  "merge.evil.driver",
  "gpg.program",
  "credential.helper",
  "hook.evil.command",
  "uploadpack.packObjectsHook",
];
const intoConfig = (file: string): readonly string[] => [
  `mkdir -p "$(dirname ${file})"`,
  ...commands.map((key) => `git config -f ${file} ${key} "$evil"`),
  `git config -f ${file} commit.gpgSign true`,
  `git config -f ${file} core.hooksPath "$base/evil-hooks"`,
  `mkdir -p "$base/evil-hooks"; for hook in pre-commit post-commit reference-transaction; do cp "$evil" "$base/evil-hooks/$hook"; done`,
  "echo '* filter=evil diff=evil merge=evil' > .gitattributes",
];

/** A person's executable file, outside the work tree. */
function program(path: string, ...lines: string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
}

const hookOf = (repo: StateRepository, ...lines: string[]): void =>
  void repo.script(".git/hooks/pre-commit", `echo own >> ${join(repo.base, "own")}`, ...lines);

const moves: Readonly<Record<string, Move>> = {
  "in ~/.gitconfig": { agent: intoConfig('"$HOME/.gitconfig"'), reported: /put back ~\/\.gitconfig/ },
  "in the user's git folder": {
    agent: intoConfig('"$XDG_CONFIG_HOME/git/config"'),
    reported: /put back ~\/config\/git\/config/,
  },
  "in a file that ~/.gitconfig includes": {
    before: ({ home }) =>
      writeFileSync(join(home, ".gitconfig"), '[includeIf "gitdir:/"]\n\tpath = ~/team/more\n'),
    agent: intoConfig('"$HOME/team/more"'),
    reported: /put back ~\/team\/more/,
  },
  "in a file outside that the repository's configuration includes": {
    before: ({ git, base }) => void git("config", "include.path", join(base, "shared.config")),
    agent: intoConfig('"$base/shared.config"'),
    reported: /put back .*shared\.config/,
  },
  "in a person's folder of hooks": {
    before: ({ home, base }) => {
      program(join(home, "hooks/pre-commit"), `echo own >> ${join(base, "own")}`);
      writeFileSync(join(home, ".gitconfig"), "[core]\n\thooksPath = ~/hooks\n");
    },
    agent: ['cp "$evil" "$HOME/hooks/pre-commit"', 'cp "$evil" "$HOME/hooks/commit-msg"'],
    reported: /put back ~\/hooks\/pre-commit/,
    stillRuns: true,
  },
  "in a program of a person's setting": {
    before: ({ home }) => {
      program(join(home, "bin/clean"), "cat");
      writeFileSync(join(home, ".gitconfig"), '[filter "mine"]\n\tclean = ~/bin/clean\n');
    },
    agent: ['cp "$evil" "$HOME/bin/clean"', "echo '*.txt filter=mine' > .gitattributes"],
    reported: /put back ~\/bin\/clean/,
  },
  "in a script of the project that a hook calls": {
    before: (repo) => {
      hookOf(repo, "sh scripts/lint.sh");
      repo.write("scripts/lint.sh", "exit 0\n");
      repo.git("add", "scripts");
      repo.git("commit", "-qm", "lint", "--no-verify");
    },
    agent: ['cp "$evil" scripts/lint.sh'],
    reported: /scripts\/lint\.sh.*without hooks/,
  },
  "in a hook that a hook calls": {
    before: (repo) => {
      hookOf(repo, '. "$(dirname "$0")/../../.husky/pre-commit"');
      repo.write(".husky/pre-commit", "./scripts/inner.sh\n");
      repo.script("scripts/inner.sh", "exit 0");
      repo.git("add", ".husky", "scripts");
      repo.git("commit", "-qm", "husky", "--no-verify");
    },
    agent: ['cp "$evil" scripts/inner.sh'],
    reported: /scripts\/inner\.sh.*without hooks/,
  },
  "in the npm script that a hook runs": {
    before: (repo) => {
      hookOf(repo, "npm run --silent lint");
      repo.write("package.json", '{ "scripts": { "lint": "exit 0" } }\n');
      repo.git("add", "package.json");
      repo.git("commit", "-qm", "lint", "--no-verify");
    },
    agent: [`printf '{ "scripts": { "lint": "%s" } }' "$evil" > package.json`],
    reported: /package\.json.*without hooks/,
  },
  "in a script of the project that a filter runs": {
    before: (repo) => {
      repo.script("scripts/clean.sh", "cat");
      repo.git("config", "filter.mine.clean", "scripts/clean.sh");
      repo.write(".gitattributes", "*.txt filter=mine\n");
      repo.git("add", ".");
      repo.git("commit", "-qm", "clean");
    },
    agent: ['cp "$evil" scripts/clean.sh'],
    reported: /scripts\/clean\.sh/,
  },
  "in a nested repository": {
    agent: [
      "git init -q vendor/nested; (cd vendor/nested; git commit -q --allow-empty -m x; echo x > f; git add f; git commit -qm f; echo y > f)",
      ...["filter.evil.clean", "core.fsmonitor"].map(
        (key) => `git config -f vendor/nested/.git/config ${key} "$evil"`,
      ),
      "echo '* filter=evil' > vendor/nested/.gitattributes",
      "git add vendor/nested 2>/dev/null",
    ],
    reported: /vendor\/nested/,
  },
};

/** The content of a file beside the repository; "" if there is none. */
const left = ({ base }: StateRepository, file: string): string =>
  existsSync(join(base, file)) ? readFileSync(join(base, file), "utf8") : "";

const all = process.env["RALPH_TEST_GIT"] !== undefined;
const sandboxes = all ? ["auto", "off"] : ["off"];
/** The default suite makes these. */
const few: readonly string[] = ["in a file that ~/.gitconfig includes", "in the npm script that a hook runs"];
const chosen = Object.entries(moves).filter(([name]) => all || few.includes(name));

test.each(chosen.flatMap(([name, move]) => sandboxes.map((sandbox) => ({ name, sandbox, move }))))(
  "LOOP-18: what an agent plants $name does not run, and the outcome says so (sandbox $sandbox)",
  async ({ move, sandbox }) => {
    const setup = (base: string): readonly string[] => [
      `base=${base}; evil=${base}/evil.sh`,
      `printf '#!/bin/sh\\necho "$0 $*" >> ${base}/ran\\ncat 2>/dev/null\\n' > $evil; chmod +x $evil`,
      ...move.agent,
      "exit 0",
    ];
    const repo = newRepository(
      (base) => ({
        ...usual,
        "t-1": [{ ...usual["t-1"][0], run: [["sh", "-c", setup(base).join("\n")]] }],
      }),
      `sandbox: "${sandbox}"\n`,
    );
    move.before?.(repo);
    const { events, stderr } = await repo.run("t-1");
    await sleep(50);
    expect([left(repo, "ran"), stderr]).toEqual(["", ""]);
    const end = events.find(({ type }) => type === "iteration.finished");
    expect(end).toMatchObject({ outcome: "done" });
    expect(JSON.stringify(end?.["warnings"])).toMatch(move.reported);
    expect(left(repo, "own") !== "").toBe(move.stillRuns === true);
  },
);

test("LOOP-18 LOOP-11: what it plants in ~/.gitconfig does not run after a kill either; the rest of the file stays", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_GIT");
  const repo = newRepository((base) => ({
    ...usual,
    calls: join(base, "calls"),
    "t-1": [
      {
        ...usual["t-1"][0],
        run: [
          [
            "sh",
            "-c",
            [
              `base=${base}; evil=${base}/evil.sh`,
              `printf '#!/bin/sh\\necho "$0 $*" $(tr "\\\\0" " " < /proc/$PPID/cmdline) >> ${base}/ran\\ncat\\n' > $evil; chmod +x $evil`,
              ...intoConfig('"$HOME/.gitconfig"'),
              'git config --global color.ui never; touch "$base/planted"; sleep 20',
            ].join("\n"),
          ],
        ],
      },
      usual["t-1"][0],
    ],
  }));
  const own = "[user]\n\tname = Ann\n[alias]\n\this = status --short\n";
  writeFileSync(join(repo.home, ".gitconfig"), own);
  expect(await repo.runAndKill(() => existsSync(join(repo.base, "planted")))).toBe(true);
  const { code, events } = await repo.run("t-1");
  expect(left(repo, "ran")).toBe("");
  expect(code).toBe(0);
  const config = readFileSync(join(repo.home, ".gitconfig"), "utf8");
  expect(config).not.toContain("evil.sh");
  expect(config.startsWith(own)).toBe(true);
  expect(config).toContain("ui = never");
  expect(JSON.stringify(events.find(({ type }) => type === "run.recovered"))).toContain(
    "put back ~/.gitconfig",
  );
  // No text of that file, which may hold credentials, is in the project's store.
  const store = readdirSync(join(repo.root, ".ralph")).filter((name) => name.startsWith("progress.db"));
  for (const name of store)
    expect(readFileSync(join(repo.root, ".ralph", name), "latin1")).not.toContain("status --short");
});

test("LOOP-18: ralph diff runs nothing of what the working agent has planted so far", async () => {
  const repo = newRepository((base) => ({
    ...usual,
    "t-1": [
      {
        ...usual["t-1"][0],
        run: [
          [
            "sh",
            "-c",
            `printf '#!/bin/sh\\necho x >> ${base}/ran\\ncat\\n' > ${base}/evil.sh; chmod +x ${base}/evil.sh
             git config filter.evil.clean ${base}/evil.sh; echo '* filter=evil' > .gitattributes
             touch ${base}/planted; while [ ! -e ${base}/go ]; do sleep 0.05; done`,
          ],
        ],
      },
    ],
  }));
  const run = repo.run("t-1");
  while (!existsSync(join(repo.base, "planted"))) await sleep(20);
  const diff = await runRalph(["diff", "t-1"], { dir: repo.root, env: repo.env });
  writeFileSync(join(repo.base, "go"), "");
  expect(existsSync(join(repo.base, "ran"))).toBe(false);
  expect(diff).toMatchObject({ code: 5, stderr: expect.stringMatching(/\.git\/config.*\n.*hint/) });
  expect((await run).code).toBe(0);
  expect(existsSync(join(repo.base, "ran"))).toBe(false);
});
