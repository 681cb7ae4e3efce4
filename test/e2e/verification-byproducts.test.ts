import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const sh = (script: string): readonly string[] => ["sh", "-c", script];
/** As a snapshot: written where there is none yet. */
const verify =
  "mkdir -p snap; for f in src/*.txt; do s=snap/$(basename $f).snap; [ -f $s ] || cp $f $s; done";

interface Scripts {
  readonly first?: string;
  readonly second?: string;
  /** Runs in verification, before the snapshots are made. */
  readonly before?: string;
  readonly config?: string;
}

async function run({ first = "true", second = "true", before = "true", config = "" }: Scripts) {
  project = practice({ "check.sh": `${before}\n${verify}\n`, ".gitignore": ".env\n" });
  const step = (script: string) => ({ write: { "src/{id}.txt": "{id}\n" }, run: [sh(script)] });
  await project.useWorker(
    { "t-1": [step(first)], "t-2": [step(second)], "*": [step("true")] },
    `verify: ["sh check.sh"]\n${config}`,
  );
  await project.addTasks(["one", "two"]);
  project.write("mine.txt", "a person's\n");
  project.write(".env", "a person's secret\n");
  const { code, events } = await project.run();
  const ends = finished(events).map((end) => ({
    outcome: end["outcome"],
    warnings: end["warnings"] as string[],
  }));
  return { code, ends };
}

const untracked = (): string => project.git("status", "--porcelain", "--untracked-files=all");
const committed = (): string => project.git("ls-files");

test("LOOP-9: new files of verification are named once, and stay uncommitted", async () => {
  const { code, ends } = await run({});
  expect(code).toBe(0);
  const warning = (name: string) =>
    `verification made 1 file that is not committed: snap/${name}.txt.snap: commit it, or add to .gitignore: snap/${name}.txt.snap`;
  expect(ends.map(({ warnings }) => warnings)).toEqual([[warning("t-1")], [warning("t-2")]]);
  expect(untracked()).toBe("?? mine.txt\n?? snap/t-1.txt.snap\n?? snap/t-2.txt.snap");
});

test("LOOP-9: a later task's agent may commit what verification made, but not a person's file", async () => {
  const { code, ends } = await run({ second: "git add -A; git commit -qm own" });
  expect(code).toBe(0);
  expect(committed()).toContain("snap/t-1.txt.snap");
  expect(ends[1]?.warnings.join("\n")).not.toContain("t-1.txt.snap");
  expect(untracked()).toBe("?? mine.txt\n?? snap/t-2.txt.snap");
});

test.each(
  variants(
    [
      ["moves", "[ -f mine.txt ] && mv mine.txt snap-of-mine.snap"],
      ["copies and deletes", "[ -f mine.txt ] && cp mine.txt snap-of-mine.snap && rm mine.txt"],
      ["uncovers", ": > .gitignore"],
    ],
    1,
  ),
)("LOOP-9: a person's file that verification %s is not taken for its own", async (_, before) => {
  const { ends } = await run({ before, second: "git add -A; git commit -qm own" });
  expect(ends[0]?.outcome).toBe("done");
  expect(project.git("log", "-p", "--branches", "--format=%s")).not.toContain("a person's");
});

test.each(variants([["auto"], ["off"]], 1))(
  "LOOP-9 LOOP-20: what verification writes each time is named once a run, with verifyBaseline: %s, and is nobody's work",
  async (baseline) => {
    project = practice({
      "check.sh":
        "date +%N > report.txt; mkdir -p out; date +%N > out/a.bin; date +%N > out/b.bin; ! grep -rq BROKEN src",
    });
    // As an agent that runs the tests itself.
    const tests = ["sh", "-c", "sh check.sh; true"];
    const all = ["sh", "-c", "git add -A; git commit -qm own"];
    await project.useWorker(
      {
        "t-1": [{ write: { "src/1.txt": "BROKEN" } }, { write: { "src/1.txt": "1" }, run: [tests] }],
        "t-2": [{ write: { "src/2.txt": "2" }, run: [tests, ...(baseline === "auto" ? [all] : [])] }],
        "*": [{ write: { "src/3.txt": "3" } }],
      },
      `verify: ["sh check.sh"]\nverifyBaseline: ${baseline}\n`,
    );
    await project.addTasks(["one", "two", "three"]);
    project.write("src/0.txt", "0");
    const names = async () => {
      const { events } = await project.run();
      const warned = events.flatMap((event) => (event["warnings"] as string[] | undefined) ?? []);
      return warned.filter((text) => /report|out\//.test(text));
    };
    const named = await names();
    expect(named).toEqual([expect.any(String)]);
    expect(named[0]).toContain("add to .gitignore: out/a.bin");
    expect(committed()).not.toMatch(/report|out\//);
    // In the next run, too.
    await project.addTasks([{ id: "t-4", title: "four" }]);
    project.setScript({ "*": [{ write: { "src/4.txt": "BROKEN" } }, { write: { "src/4.txt": "4" } }] });
    expect((await names()).length).toBeLessThan(2);
    expect(committed()).not.toMatch(/report|out\//);
  },
);
