import { afterEach, expect, test } from "vitest";
import { finished, type Practice, withTasks } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

/** A project with a submodule in `vendor/lib`, in which a person already has an uncommitted file. */
async function withSubmodule(
  steps: Readonly<Record<string, unknown>>,
  titles: readonly string[],
): Promise<Practice> {
  const made = await withTasks(steps, titles, 'verify: ["test -e vendor"]\n');
  made.write("../lib/lib.txt", "1\n");
  made.git("init", "-q", "../lib");
  made.git("-C", "../lib", "add", "-A");
  made.git("-C", "../lib", "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-qm", "lib");
  made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "vendor/lib");
  made.git("commit", "-qam", "submodule");
  made.write("vendor/lib/mine.txt", "a person's own\n");
  return made;
}

test("LOOP-9: work in a submodule that no commit holds is reported, beside other work", async () => {
  const work = { write: { "vendor/lib/lib.txt": "2\n", "src/{id}.txt": "work\n" } };
  project = await withSubmodule({ "*": [work] }, ["one"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events)).toMatchObject([
    {
      outcome: "done",
      warnings: [expect.stringMatching(/^vendor\/lib\/lib\.txt is in a submodule and not committed: /)],
    },
  ]);
  project.setScript({ "*": [{ write: { "src/{id}.txt": "work\n" } }] });
  await project.addTasks([{ id: "t-2", title: "two" }]);
  // What was there before is not of this task.
  expect(finished((await project.run()).events)).toMatchObject([{ outcome: "done", warnings: [] }]);
});

test("LOOP-9: an attempt that changed only files in a submodule says so, not that nothing changed", async () => {
  project = await withSubmodule({ "*": [{ write: { "vendor/lib/new.txt": "2\n" } }] }, ["one"]);
  const [first] = finished((await project.run("--max-attempts", "1")).events);
  expect(first).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/only files in submodules have changed \(vendor\/lib\/new\.txt\)/),
  });
});
