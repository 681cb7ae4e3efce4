import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, withTasks } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

/** A project with a submodule in `vendor/lib`, in which a person already has an uncommitted file. */
async function withSubmodule(
  steps: Readonly<Record<string, unknown>>,
  titles: readonly string[],
): Promise<Practice> {
  const made = await withTasks(steps, titles, 'verify: ["test -e vendor -a ! -e fail"]\n');
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
  // Earlier changes are not of this task.
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

const commit = "git -c user.name=x -c user.email=x@x commit -qam x";
const git = "git -c protocol.file.allow=always";

const changes = [
  ["moves and commits", "mkdir deps; git mv vendor/lib deps/lib; git commit -qam moved", "deps/lib"],
  ["adds", `${git} submodule --quiet add ../lib deps/new`, "deps/new vendor/lib"],
  ["deinitializes", "git submodule --quiet deinit -f vendor/lib; echo x > src/x", "vendor/lib"],
  ["removes", "git rm -qf vendor/lib; mkdir -p vendor; echo x > vendor/x", ""],
  ["updates", `cd vendor/lib; echo 3 > lib.txt; ${commit}; cd ../..`, "vendor/lib"],
  ["moves", "mkdir deps; git mv vendor/lib deps/lib", "deps/lib"],
] as const;

test.each(variants(changes, 3))(
  "LOOP-25: what an agent %s of a submodule is committed, and git still works",
  async (_, body, left) => {
    project = await withSubmodule({ "*": [{ run: [["sh", "-ec", body]] }, {}] }, ["one"]);
    project.git("-C", "vendor/lib", "clean", "-qfd");
    const { code, events } = await project.run();
    expect([code, finished(events)]).toMatchObject([0, [{ outcome: "done", warnings: [] }]]);
    expect(project.git("status", "--porcelain")).toBe("");
    const links = project
      .git("ls-files", "-s")
      .split("\n")
      .filter((line) => line.startsWith("160000"));
    expect(links.map((line) => line.split("\t")[1]).join(" ")).toBe(left);
    await project.addTasks([{ id: "t-2", title: "two" }]);
    project.setScript({ "*": [{ write: { "src/{id}.txt": "x\n" } }] });
    const next = await project.run();
    expect([next.code, finished(next.events)]).toMatchObject([0, [{ outcome: "done", warnings: [] }]]);
  },
);

test("LOOP-25: after a failed attempt that moved a submodule, git and the next task work", async () => {
  const move = ["sh", "-ec", "mkdir deps; git mv vendor/lib deps/lib; touch fail"];
  const other = { write: { "src/{id}.txt": "x\n" } };
  project = await withSubmodule({ "t-1": [{ run: [move] }], "*": [other] }, ["one", "two"]);
  const { code, events } = await project.run("--max-attempts", "1");
  const ends = [{ outcome: "failed" }, { outcome: "done", warnings: [] }];
  expect([code, finished(events)]).toMatchObject([4, ends]);
  // Git's folder of the submodule belongs to the new place, which nothing but a person removes.
  expect(project.git("status", "--porcelain")).toBe("?? deps/");
});
