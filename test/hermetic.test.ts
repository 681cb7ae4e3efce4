import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeHermetic } from "./hermetic.ts";
import { removeTempRepositories, tempFolder } from "./temp-repository.ts";

afterEach(removeTempRepositories);

test("tests run without the caller's home, git, XDG and ralph variables", () => {
  const caller = {
    PATH: "/bin",
    RALPH_TEST_KILLS: "30",
    RALPH_AGENT: "codex",
    GIT_DIR: "/x",
    XDG_STATE_HOME: "/x",
    _: "/usr/bin/nohup",
  };
  const env: Record<string, string | undefined> = { ...caller, HOME: "/home/ann" };
  makeHermetic(env, "/nonexistent", []);
  expect(env).toEqual({ PATH: "/bin", RALPH_TEST_KILLS: "30", HOME: "/nonexistent" });
  const names = Object.keys(process.env).filter((name) => /^(?:GIT|XDG|RALPH)_/.test(name));
  expect(names.filter((name) => !name.startsWith("RALPH_TEST_"))).toEqual([]);
  expect(process.env["HOME"]).toContain("ralph-home-");
});

test("temporary folders lie in no project and no repository of the caller's", () => {
  const outer = tempFolder();
  const [project, repository, free] = ["project/tmp", "repository/deep/tmp", "free"].map((path) =>
    join(outer, path),
  );
  for (const path of ["project/tmp", "project/.ralph", "repository/deep/tmp", "repository/.git", "free"]) {
    mkdirSync(join(outer, path), { recursive: true });
  }
  const env: Record<string, string | undefined> = {};
  makeHermetic(env, "/nonexistent", [`${project}`, `${repository}`, join(outer, "missing"), `${free}`]);
  expect([env["TMPDIR"], existsSync(`${free}`)]).toEqual([free, true]);
});
