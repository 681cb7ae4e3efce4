import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
} from "../../../../test/temp-repository.ts";
import { watchInputs } from "./watch-inputs.ts";

afterEach(removeTempRepositories);

interface Watching extends TempRepository {
  readonly home: TempRepository;
  begin(command: string): readonly string[];
  /** `name: how` of each change. */
  changes(): readonly string[];
}

type Files = Readonly<Record<string, string>>;

function watching(files: Files, env: Record<string, string> = {}): Watching {
  const made = repositoryAt(tempFolder());
  const home = repositoryAt(tempFolder());
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  const watch = watchInputs({ root: made.dir, env: { HOME: home.dir, PATH: "bin:/usr/bin:/bin", ...env } });
  return {
    ...made,
    home,
    begin: (command) => {
      watch.begin([command]);
      return watch.scripts();
    },
    changes: () => watch.changes().map(({ name, how }) => `${name}: ${how}`),
  };
}

/** A command, or the text of `check.sh`; the work of tasks is in `src` and `bin/tool`. */
test.each([
  "nice -n 5 sh ci/x.sh",
  "timeout --foreground 60 sh ci/x.sh",
  "timeout 60 ci/run",
  "flock .lock sh ci/x.sh",
  "echo ci/x.sh | xargs -n 1 sh ci/x.sh",
  "env CI=1 sh ci/x.sh",
  "env -u A CI=1 ci/x.sh",
  'eval "sh ci/x.sh"',
  "bash -ec 'cd . && npm run x'",
  'step() { echo "== $*"; "$@"; }\nstep sh ci/x.sh',
  "run 'the tests' -- npm run --silent x",
  "retry 3 make x",
  "poetry run python ci/x.py",
  "/usr/bin/env sh ci/x.sh",
  "/usr/bin/python3 -B ci/x.py",
])("LOOP-18: the scripts behind a wrapper are found: %s", (command) => {
  const files = ["ci/x.sh", "ci/run", "ci/x.py", "src/main.py", "src/data.txt"];
  const made = watching({
    ...Object.fromEntries(files.map((path) => [path, ""])),
    "package.json": '{"scripts":{"x":"sh ci/x.sh"}}',
    Makefile: "x:\n\tsh ci/x.sh\n",
    "check.sh": `${command}\n`,
  });
  chmodSync(join(made.dir, "ci/run"), 0o755);
  for (const [run, others] of [
    [command, []],
    ["sh check.sh", ["check.sh"]],
  ] as const) {
    const found = made.begin(run).filter((path) => path !== "Makefile" && !others.includes(path as never));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^ci\//);
  }
});

test.each([
  "grep -q node src/main.mjs",
  "echo node src/main.mjs src/x.sh",
  "prettier --check src/main.mjs README.md",
  "timeout 60 diff src/main.mjs expected.txt",
  "test -x src/x.sh",
  "shellcheck src/x.sh",
  "xargs eslint src/main.mjs < src/list.txt",
])("LOOP-18: a file that is only read is no script: %s", (command) => {
  const names = ["src/main.mjs", "src/x.sh", "src/list.txt", "README.md", "expected.txt"];
  expect(watching(Object.fromEntries(names.map((path) => [path, ""]))).begin(command)).toEqual([]);
});
