import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  tempFolder,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { changedHooks, type Guard, guard, restoreGuarded } from "../guard.ts";

afterEach(removeTempRepositories);

interface Case {
  readonly files: Readonly<Record<string, string>>;
  /** Path of a link, and where it leads. */
  readonly links?: Readonly<Record<string, string>>;
  readonly hooksPath?: string;
  /** The file that the agent changes. */
  readonly target: string;
  /** What is reported. */
  readonly named: readonly string[];
}

const calls = (line: string): Case["files"] => ({ ".git/hooks/pre-commit": `#!/bin/sh\n${line}\n` });
const large = `exit 0\n${"#".repeat(300_000)}`;

const cases: Readonly<Record<string, Case>> = {
  "a hook that is a link into the tree": {
    files: { "ci/check": "#!/bin/sh\n" },
    links: { ".git/hooks/pre-commit": "../../ci/check" },
    target: "ci/check",
    named: ["ci/check"],
  },
  "a folder of hooks that is a link": {
    files: { "ci/pre-commit": "#!/bin/sh\n" },
    links: { ".git/hooks": "../ci" },
    target: "ci/pre-commit",
    named: ["ci"],
  },
  "a link in the folder of core.hooksPath": {
    files: { "ci/check": "#!/bin/sh\n" },
    links: { ".hooks/pre-commit": "../ci/check" },
    hooksPath: ".hooks",
    target: "ci/check",
    named: ["ci/check"],
  },
  "a folder of core.hooksPath that is a link": {
    files: { "ci/pre-commit": "#!/bin/sh\n" },
    links: { ".hooks": "ci" },
    hooksPath: ".hooks",
    target: "ci/pre-commit",
    named: ["ci"],
  },
  "a script that is a link": {
    files: { ...calls("sh ci/link.sh"), "ci/check.sh": "exit 0\n" },
    links: { "ci/link.sh": "check.sh" },
    target: "ci/check.sh",
    named: ["ci/check.sh"],
  },
  "a large script": {
    files: { ...calls("sh ci/large.sh"), "ci/large.sh": large },
    target: "ci/large.sh",
    named: ["ci/large.sh"],
  },
  "a script without extension": {
    files: { ...calls("exec sh -eu lint --all"), lint: "exit 0\n" },
    target: "lint",
    named: ["lint"],
  },
  "a script of a folder that the hook changes to": {
    files: { ...calls("cd ci && . ./check"), "ci/check": "exit 0\n" },
    target: "ci/check",
    named: ["ci/check"],
  },
};

test.each(Object.entries(cases))(
  "LOOP-18: the commit after a change of %s runs no hook",
  async (_, { files, links = {}, hooksPath, target, named }) => {
    const { dir, git, write } = tempRepository();
    rmSync(join(dir, ".git/hooks"), { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) write(path, text);
    for (const path of Object.keys(files)) chmodSync(join(dir, path), 0o755);
    for (const [path, to] of Object.entries(links)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      symlinkSync(to, join(dir, path));
    }
    if (hooksPath !== undefined) git("config", "core.hooksPath", hooksPath);
    const ws = await openRunWorkspace(dir, gitEnv);
    const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
    expect(await changedHooks(ws, before, [])).toEqual([]);
    write(target, "#!/bin/sh\nexit 1\n");
    expect(await changedHooks(ws, before, [])).toEqual(named);
    // The next task's commit does not run it either.
    expect(await changedHooks(ws, await guard(ws), [])).toEqual(named);
  },
);

const lintStaged = ["yaml", "yml", "mjs", "cjs"].map((end) => `.lintstagedrc.${end}`);
const lintStagedConfig = ["cjs", "ts", "mjs", "js"].map((end) => `lint-staged.config.${end}`);
test.each(
  variants(
    [
      ["[ -f scripts/extra.sh ] && . scripts/extra.sh", "scripts/extra.sh"],
      ['if [ -x "$PWD/ci/lint" ]; then ci/lint; fi', "ci/lint"],
      ["test -e ci/more.mjs && node ci/more.mjs || true", "ci/more.mjs"],
      ['. "$(dirname "$0")/../../ci/lib" 2> /dev/null || true', "ci/lib"],
      ...["lefthook-local.yml", "lefthook-local.yaml", ".lefthook.toml"].map((name) => [
        "lefthook run x",
        name,
      ]),
      ...[...lintStaged, ...lintStagedConfig].map((name) => ["npx lint-staged", name]),
      ["make -s check", "GNUmakefile"],
    ],
    8,
  ),
)("LOOP-18: the commit after a new file that a hook would read runs no hook: %s, %s", async (line, added) => {
  const { dir, write } = tempRepository();
  for (const [path, text] of Object.entries({ ...calls(line), Makefile: "" })) write(path, text);
  chmodSync(join(dir, ".git/hooks/pre-commit"), 0o755);
  const ws = await openRunWorkspace(dir, gitEnv);
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  for (const path of ["src/new.sh", "README.md", "extra.sh", "package-lock.json"]) write(path, "");
  expect(await changedHooks(ws, before, ["src/new.sh"])).toEqual([]);
  write(added, "exit 1\n");
  expect(await changedHooks(ws, before, [])).toEqual([added]);
  expect(await changedHooks(ws, await guard(ws), [])).toEqual([added]);
});

test.each([
  ["# make sure that the pre-commit hook passes", ["Makefile", ".pre-commit-config.yaml"]],
  ["[ -f Cargo.toml ] && cargo check\ntest -f data.json", ["Cargo.toml", "data.json"]],
])("LOOP-18: a new file that no hook reads leaves the hooks on: %s", async (line, added) => {
  const { dir, write } = tempRepository();
  for (const [path, text] of Object.entries(calls(line))) write(path, text);
  chmodSync(join(dir, ".git/hooks/pre-commit"), 0o755);
  const ws = await openRunWorkspace(dir, gitEnv);
  const before = await guard(ws);
  for (const path of added) write(path, "x\n");
  expect(await changedHooks(ws, before, added)).toEqual([]);
});

test("LOOP-18: new files of the home that Husky and hooks would read are taken away", async () => {
  const repository = tempRepository();
  const home = repositoryAt(tempFolder());
  repository.write(".husky/pre-commit", "[ -f ~/.extra ] && . ~/.extra\n");
  repository.write(".husky/_/pre-commit", "#!/bin/sh\n");
  chmodSync(join(repository.dir, ".husky/_/pre-commit"), 0o755);
  repository.git("config", "core.hooksPath", ".husky/_");
  const config = repositoryAt(tempFolder());
  const env = { ...gitEnv, HOME: home.dir, XDG_CONFIG_HOME: config.dir };
  const ws = await openRunWorkspace(repository.dir, env);
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  for (const path of [".huskyrc", ".extra", ".config/husky/init.sh"]) home.write(path, "evil\n");
  config.write("husky/init.sh", "evil\n");
  expect((await restoreGuarded(ws, before, tempFolder())).toSorted()).toEqual(
    [join(config.dir, "husky/init.sh"), "~/.config/husky/init.sh", "~/.extra", "~/.huskyrc"].toSorted(),
  );
  expect(existsSync(join(home.dir, ".huskyrc"))).toBe(false);
});

test("LOOP-18: files outside of the project that linked hooks lead to are put back", async () => {
  const repository = tempRepository();
  const home = repositoryAt(tempFolder());
  home.write("hooks/pre-commit", "#!/bin/sh\n");
  home.write("check", "#!/bin/sh\n");
  for (const path of ["hooks/pre-commit", "check"]) chmodSync(join(home.dir, path), 0o755);
  symlinkSync("../check", join(home.dir, "hooks/commit-msg"));
  rmSync(join(repository.dir, ".git/hooks"), { recursive: true, force: true });
  symlinkSync(join(home.dir, "hooks"), join(repository.dir, ".git/hooks"));
  const ws = await openRunWorkspace(repository.dir, { ...gitEnv, HOME: home.dir });
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([]);
  for (const path of ["hooks/pre-commit", "hooks/pre-push", "check"]) home.write(path, "evil\n");
  expect((await restoreGuarded(ws, before, tempFolder())).toSorted()).toEqual([
    "~/check",
    "~/hooks/pre-commit",
    "~/hooks/pre-push",
  ]);
  expect(home.read("check")).toBe("#!/bin/sh\n");
});
