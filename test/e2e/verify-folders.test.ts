import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** A verification that notes where it ran and fails while its folder holds a file `broken`. */
const check =
  "echo $(basename $PWD) >> ../../../ran; test ! -e broken || { echo 'error: broken'; exit 1; }\n";

test("LOOP-5: verification per folder runs where it is told, for the files that a task changed, and wholly for others", async () => {
  project = practice({ "packages/a/check.sh": check, "packages/b/check.sh": check, "README.md": "# x\n" });
  const done = "<task-done>{id}</task-done>";
  await project.useWorker(
    {
      prompts: "../prompts",
      "t-1": [
        { write: { "packages/a/broken": "x" }, commit: "break a", say: done },
        { write: { "packages/b/x.txt": "x" }, say: done },
        { remove: ["packages/a/broken"], write: { "packages/b/x.txt": "x" }, say: done },
      ],
      "t-2": [{ write: { "packages/b/y.txt": "y" }, say: done }],
      "t-3": [{ write: { "README.md": "# y\n" }, say: done }],
    },
    `verify:
  - { run: sh check.sh, in: packages/a, when: "packages/a/**" }
  - { run: sh check.sh, in: packages/b/, when: ["packages/b/**", "packages/shared/**"] }
`,
  );
  for (const id of ["t-1", "t-2", "t-3"]) await project.ralph("task", "add", `Task ${id}`, "--id", id);
  const { code, events } = await project.run();
  // A command that fails is repeated once.
  expect(project.read("../ran").trim().split("\n").join(" ")).toBe("a a a a a b b a b");
  expect(finished(events)).toMatchObject([
    { taskId: "t-1", outcome: "failed" },
    { taskId: "t-1", outcome: "failed" },
    { taskId: "t-1", outcome: "done" },
    { taskId: "t-2", outcome: "done" },
    { taskId: "t-3", outcome: "done" },
  ]);
  expect(code).toBe(0);
  expect(project.read("../prompts/t-2-1.txt")).toContain(
    "- `cd packages/b && sh check.sh` when a changed file matches `packages/b/**`, `packages/shared/**`",
  );
});

test("LOOP-5 UX-5: a folder outside the project and an unknown field are refused", async () => {
  project = practice();
  project.write(".ralph/config.yaml", "verify:\n  - { run: make, in: ../other }\n");
  const outside = await project.ralph("config");
  expect(outside.stderr).toMatch(
    /config\.yaml:2:\d+: verify\[0\]\.in must be a folder of the project, .*got "\.\.\/other"/,
  );
  expect(outside.code).toBe(2);
});
