import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requireBuild } from "../require-build.ts";

const root = resolve(import.meta.dirname, "../..");
requireBuild(root);

test("the start and one more file are all of ralph that `ralph run` loads", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ralph-one-file-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const file of ["bin/ralph.js", "dist/start.cjs", "dist/start-run.cjs"])
    cpSync(join(root, file), join(base, "ralph", file));
  mkdirSync(join(base, "project"));
  const ralph = (...words: readonly string[]): { readonly status: number | null; readonly stderr: string } =>
    spawnSync(process.execPath, [join(base, "ralph/bin/ralph.js"), ...words], {
      cwd: join(base, "project"),
      env: { ...process.env, HOME: base },
      encoding: "utf8",
    });
  expect(ralph("run", "--help")).toMatchObject({ status: 0, stderr: "" });
  expect(ralph("run", "--no-such-flag").stderr).toContain("unknown option");
  expect(ralph("run").stderr).toMatch(/^error: (?!bug)/);
});
