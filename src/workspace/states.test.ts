import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { variants } from "../../test/test-size.ts";
import { safe } from "../base/safe-text.ts";
import { protectedPaths, takeBaseline, workSince } from "./baseline.ts";
import { commitPaths } from "./commit.ts";
import { currentBranch } from "./git/status.ts";
import { noteTree, restoreTree } from "./restore-tree.ts";
import { restoreSalvage, salvage } from "./salvage.ts";

afterEach(removeTempRepositories);

const files = {
  "app/a.txt": "a\n",
  "app/b.txt": "b\n",
  "other.txt": "o\n",
  "third.txt": "t\n",
  ".gitignore": "*.log\nnode_modules\n",
};

interface State {
  readonly repository: TempRepository;
  /** The project root, when it is not the repository's top. */
  readonly root?: string;
}

function plant(path: string, script: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Each state that a project can be in when ralph meets it, with a person's own bytes in it. */
const states: Readonly<Record<string, () => State>> = {
  clean: () => ({ repository: tempRepository(files) }),
  "dirty, untracked and ignored files, with nasty names too, and hooks that pass": () =>
    changed((r) => {
      r.write("tracked -x", "t");
      r.git("add", "tracked -x");
      r.git("commit", "-qm", "tracked");
      r.write("other.txt", "a person's");
      for (const path of ["app/mine.txt", "app/x.log", "node_modules/m/index.js", ".ralph/progress.db"])
        r.write(path, path);
      symlinkSync("/etc/passwd", join(r.dir, "app/link"));
      for (const path of ["-f", "--all", ":(glob)**", "a b", 'q"q', "new\nline", "*", "ü"])
        r.write(path, "a person's");
      plant(join(r.dir, ".git/hooks/pre-commit"), "exit 0");
    }),
  "staged new, renamed, deleted and changed files, one changed again": () =>
    changed((r) => {
      r.write("third.txt", "staged");
      r.write("new.txt", "n");
      r.git("add", "third.txt", "new.txt");
      r.write("third.txt", "and changed");
      r.git("mv", "other.txt", "renamed.txt");
      r.git("rm", "-q", "app/b.txt");
    }),
  "detached HEAD": () => changed((r) => r.git("checkout", "-q", "--detach")),
  "subfolder of a repository": () => {
    const repository = tempRepository(files);
    repository.write("other.txt", "a person's, outside of the project");
    repository.write("outside.txt", "untracked, outside of the project");
    return { repository, root: join(repository.dir, "app") };
  },
  "linked work tree": () => {
    const linked = join(tempFolder(), "linked");
    tempRepository(files).git("worktree", "add", "--quiet", "-b", "side", linked);
    return { repository: repositoryAt(linked) };
  },
  "submodule as the project": () => {
    const outer = tempRepository();
    outer.git(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      tempRepository(files).dir,
      "sub",
    );
    return { repository: repositoryAt(join(outer.dir, "sub")) };
  },
  "repositories within the project": () =>
    changed((r) => {
      r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", tempRepository().dir, "sub");
      r.git("commit", "-qm", "sub");
      r.write("sub/dirty.txt", "x");
      r.git("init", "-q", "nested");
      r.write("nested/file.txt", "x");
    }),
  "sparse checkout": () =>
    changed((r) => {
      r.write("far/away.txt", "x");
      r.git("add", "far");
      r.git("commit", "-qm", "far");
      r.git("sparse-checkout", "set", "app");
    }),
  "shallow clone": () => {
    const dir = join(tempFolder(), "clone");
    const origin = tempRepository(files);
    origin.git("commit", "-q", "--allow-empty", "-m", "second");
    origin.git("clone", "--quiet", "--depth=1", `file://${origin.dir}`, dir);
    return { repository: repositoryAt(dir) };
  },
};

function changed(change: (repository: TempRepository) => void): State {
  const repository = tempRepository(files);
  change(repository);
  return { repository };
}

describe("LOOP-9: in every state of a project, a task's whole way leaves each byte that is not the agent's", () => {
  test.each(variants(Object.keys(states), 6))("%s", async (name) => {
    const state = states[name]?.();
    if (!state) throw new Error(name);
    const { repository } = state;
    const ws = await openRunWorkspace(state.root ?? repository.dir, gitEnv);
    const way = state.root || existsSync(join(ws.root, "a.txt")) ? "" : "app/";
    const baseline = await takeBaseline(ws, { allowDirty: true });
    const startHead = baseline.head ?? "";
    const before = {
      files: repository.hashes(),
      staged: stagedByPerson(repository),
      branch: await currentBranch(ws),
    };
    const project = repositoryAt(ws.root);

    // A first attempt fails: committed and uncommitted work of the agent's.
    const noted = await noteTree(ws, { viewProtects: false });
    project.write(`${way}a.txt`, "agent 1\n");
    project.git("commit", "-q", "--no-verify", "-m", "agent's", "--only", "--", `${way}a.txt`);
    project.write(`${way}a.txt`, "agent 2\n");
    project.write(`${way}agent/new.txt`, "agent\n");
    plant(join(ws.commonDir, "hooks/pre-commit"), "exit 1");
    expect((await restoreTree(ws, noted, tempFolder())).length).toBeGreaterThan(0);
    const work = await workSince(ws, { baseline, startHead });
    expect([...work.changedPaths].sort()).toEqual([`${way}a.txt`, `${way}agent/new.txt`]);
    expect(work).toMatchObject({ protectedEdits: [], commits: [expect.any(String)] });
    const done = repository.hashes();

    // Another task comes first.
    const ref = "refs/ralph/salvage/t-1-1";
    const keep = protectedPaths(baseline);
    const taskWork = { paths: work.changedPaths, startHead, keep, startBranch: baseline.branch };
    await salvage(ws, { ...taskWork, ref, message: "t-1" });
    expect(repository.hashes()).toEqual(before.files);
    expect(stagedByPerson(repository)).toEqual(before.staged);
    expect(await workSince(ws, { baseline, startHead })).toMatchObject({
      files: [],
      protectedEdits: [],
      head: startHead,
    });

    // Its second attempt succeeds.
    expect(await restoreSalvage(ws, ref)).toEqual({ restored: true, conflicts: [] });
    expect(repository.hashes()).toEqual(done);
    const again = await workSince(ws, { baseline, startHead });
    const { hash } = await commitPaths(ws, {
      paths: again.changedPaths,
      message: safe`t-1\n\nRalph-Task: t-1`,
    });
    expect(repository.hashes()).toEqual(done);
    expect(stagedByPerson(repository)).toEqual(before.staged);
    expect(await currentBranch(ws)).toBe(before.branch);
    const names = repository.git("diff", "--name-only", `${hash}^`, hash).split("\n");
    expect(names).toEqual(["app/a.txt", "app/agent/new.txt"]);
  });
});

/** Returns the paths of the index that differ from HEAD. */
function stagedByPerson({ git }: TempRepository): string {
  return git("diff", "--cached", "--raw", "--no-renames", "HEAD");
}
