import { expect, test } from "vitest";
import { isAllowed } from "../session/approve-action.ts";
import { keptCommand, keptPath, keptPaths } from "./kept-fields.ts";

const place = { cwd: "/project", tmpDir: "/project/tmp", journal: null, allowedCommands: ["npm test"] };
const runs = (command: string | null): boolean =>
  isAllowed("edit", { kind: "run", command, paths: [] }, place);
const edits = (paths: readonly unknown[]): boolean =>
  isAllowed("edit", { kind: "edit", command: null, paths: paths as string[] }, place);

test("AGENT-4: a command that is too long to keep is not allowed by its beginning", () => {
  expect(runs(keptCommand(`npm test ${"a".repeat(1000)}`))).toBe(true);
  const long = keptCommand(`npm test ${"a".repeat(20_000)}; rm -rf .`);
  expect(long?.length).toBeLessThan(17_000);
  expect(runs(long)).toBe(false);
});

test("AGENT-4: paths that are too much to keep count as outside the project", () => {
  const kept = (paths: readonly string[]) => keptPaths(paths.map((path) => ({ path, text: "x" })));
  const pathsOf = (paths: readonly string[]) => kept(paths).map(({ path }) => path);
  expect(kept(["a.ts"])).toEqual([{ path: "a.ts" }]);
  expect(edits(pathsOf(["a.ts"]))).toBe(true);
  expect(edits(pathsOf([`${"a/".repeat(40_000)}${"../".repeat(40_001)}etc`]))).toBe(false);
  expect(edits(pathsOf([...Array.from({ length: 5000 }, () => "a.ts"), "../b"]))).toBe(false);
  expect(edits([keptPath("a".repeat(100_000))])).toBe(false);
});
