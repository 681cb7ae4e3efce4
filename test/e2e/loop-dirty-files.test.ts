import { afterEach, expect, test } from "vitest";
import { finished, type Practice, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-9: a dirty tracked file stops the run with a hint and nothing changes", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["one"]);
  project.write("src/base.txt", "mine, unsaved\n");
  const { code, stderr } = await project.ralph("run");
  expect(code).toBe(5);
  expect(stderr).toMatch(/src\/base\.txt/);
  expect(stderr).toMatch(/hint:.*--allow-dirty/s);
  const allowed = await project.run("--allow-dirty");
  expect(allowed.code).toBe(0);
  expect(project.read("src/base.txt")).toBe("mine, unsaved\n");
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-1.txt");
});

test("LOOP-9: with --allow-dirty an edit to a dirty file ends the attempt with a hint, and the next one starts even", async () => {
  project = await withTasks(
    {
      "t-1": [
        { write: { "src/base.txt": "the agent's", "src/a.txt": "a" } },
        { write: { "src/b.txt": "b" } },
      ],
    },
    ["one"],
  );
  project.write("src/base.txt", "mine, unsaved\n");
  const { code, events } = await project.run("--allow-dirty");
  const [first, second] = finished(events);
  expect(first).toMatchObject({ outcome: "failed", reason: expect.stringContaining("src/base.txt") });
  expect(second).toMatchObject({ outcome: "done" });
  expect(code).toBe(0);
  // The overwritten text can be had back.
  const warnings = JSON.stringify(first?.["warnings"]);
  const blob = String(/cat-file blob ([0-9a-f]+)/.exec(warnings)?.[1]);
  expect(project.git("cat-file", "blob", blob)).toBe("mine, unsaved");
  // The next attempt was verified with it, and does not commit it.
  const still = `src/base.txt is yours and still as an earlier attempt left it, which no commit holds (to get it back: git cat-file blob ${blob}`;
  expect(second?.["warnings"]).toEqual([expect.stringContaining(still)]);
  expect(project.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
    "src/a.txt",
    "src/b.txt",
  ]);
});

test("LOOP-9: each attempt that overwrites a dirty file names the person's version, which survives git gc", async () => {
  const rewrite = (text: string) => ({ write: { "src/base.txt": text } });
  project = await withTasks({ "t-1": [rewrite("x"), rewrite("y")], "*": [rewrite("z"), rewrite("w")] }, [
    "one",
    "two",
  ]);
  project.write("src/base.txt", "mine, unsaved\n");
  const { events } = await project.run("--allow-dirty");
  project.git("gc", "--quiet", "--prune=now");
  const blobs = finished(events).map((event) => {
    return String(/cat-file blob ([0-9a-f]+)/.exec(JSON.stringify(event["warnings"]))?.[1]);
  });
  expect(blobs.length).toBeGreaterThan(3);
  expect(blobs.map((blob) => project.git("cat-file", "blob", blob))).toEqual(
    blobs.map(() => "mine, unsaved"),
  );
  const { stdout } = await project.ralph("log", "t-1");
  expect(stdout).toContain(`to get it back: git cat-file blob ${blobs[0]}`);
  expect(stdout).toContain("attempts 1 and 2 changed nothing but files of yours and had the same error");
});
