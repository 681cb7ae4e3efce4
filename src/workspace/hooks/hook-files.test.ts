import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  tempFolder,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { changedHooks, type Guard, guard, restoreGuarded } from "../guard.ts";
import { openWorkspace } from "../open-workspace.ts";

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
    const ws = await openWorkspace(dir, gitEnv);
    const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
    expect(await changedHooks(ws, before, [])).toEqual([]);
    write(target, "#!/bin/sh\nexit 1\n");
    expect(await changedHooks(ws, before, [])).toEqual(named);
    // The next task's commit does not run it either.
    expect(await changedHooks(ws, await guard(ws), [])).toEqual(named);
  },
);

test("LOOP-18: files outside of the project that linked hooks lead to are put back", async () => {
  const repository = tempRepository();
  const home = repositoryAt(tempFolder());
  home.write("hooks/pre-commit", "#!/bin/sh\n");
  home.write("check", "#!/bin/sh\n");
  for (const path of ["hooks/pre-commit", "check"]) chmodSync(join(home.dir, path), 0o755);
  symlinkSync("../check", join(home.dir, "hooks/commit-msg"));
  rmSync(join(repository.dir, ".git/hooks"), { recursive: true, force: true });
  symlinkSync(join(home.dir, "hooks"), join(repository.dir, ".git/hooks"));
  const ws = await openWorkspace(repository.dir, { ...gitEnv, HOME: home.dir });
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
