import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProject } from "./find-project.ts";

test("a project is the nearest folder upwards with .ralph or a repository", () => {
  const top = mkdtempSync(join(tmpdir(), "ralph-find-"));
  try {
    mkdirSync(join(top, "repo", "packages", "a", "src"), { recursive: true });
    mkdirSync(join(top, ".ralph"));
    writeFileSync(join(top, "repo", ".git"), "gitdir: elsewhere\n");
    const deep = join(top, "repo", "packages", "a", "src");
    expect(findProject(deep)?.root).toBe(join(top, "repo"));
    mkdirSync(join(top, "repo", "packages", "a", ".ralph"));
    expect(findProject(deep)?.root).toBe(join(top, "repo", "packages", "a"));
    expect(findProject(join(top, "repo"))?.root).toBe(join(top, "repo"));
    mkdirSync(join(top, "other", ".git"), { recursive: true });
    expect(findProject(join(top, "other"))?.root).toBe(top);
  } finally {
    rmSync(top, { recursive: true });
  }
});
