import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

// Code that an earlier task's agent wrote runs before the first attempt too, where no agent's session is judged by it.
let project: Practice;
afterEach(() => project?.remove());

const fine = { write: { "src/{id}.txt": "good\n" } };
const broken = { write: { "src/{id}.txt": "broken\n" } };

/** A project whose check runs `code` once, when a person made a commit after the first task. */
async function withCode(code: string, work: object, config = ""): Promise<void> {
  const once = `if [ -e person.txt ] && [ ! -e ../ran ]; then touch ../ran\n${code}\nfi\n`;
  const check = `for f in src/*; do grep -q good "$f" || exit 1; done\n${once}`;
  project = practice({ "check.sh": check, "src/base.txt": "good\n" });
  await project.useWorker(
    { "*": [work] },
    `verifyBaseline: auto\nverify: ["sh check.sh"]\nlimits: { maxAttempts: 1 }\n${config}`,
  );
  await project.addTasks(["one"]);
  project.write("person.txt", "mine\n");
  project.git("add", "person.txt");
  project.git("commit", "-qm", "a person's commit");
}

const warnings = (events: readonly RunEvent[]): readonly string[] =>
  events.filter(({ type }) => type === "guard.restored").flatMap((event) => event["warnings"] as string[]);
const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);

test("TRUST-10 LOOP-20: a person's commits that the verification before the first attempt removes are put back", async (context) => {
  onlyInLongForm(context);
  await withCode("git update-ref HEAD HEAD~1", fine);
  const { events } = await project.run();
  expect(outcomes(events)).toEqual(["done"]);
  const what =
    /^put HEAD back to main at \w+, as it was before; .*: \w+ a person's commit \(verification did\)$/;
  expect(warnings(events)).toEqual([expect.stringMatching(what)]);
  expect(project.commits()).toEqual([
    expect.stringContaining("t-1"),
    "a person's commit",
    "configure ralph",
    "start",
  ]);
  expect(project.git("show", "HEAD:person.txt")).toBe("mine");
  expect(project.git("status", "--porcelain")).toBe("");
});

test("TRUST-10 LOOP-20: a commit by the verification before the first attempt is removed, without a person's files", async () => {
  const code = "git checkout -qb other; echo 'exit 0' > check.sh; git add -A; git commit -qm tidy";
  await withCode(code, broken);
  project.write("notes.txt", "of a person\n");
  const { events } = await project.run();
  expect(outcomes(events)).toEqual(["failed"]);
  expect(warnings(events)).toEqual([
    expect.stringMatching(
      /^notes\.txt, which you had not committed, was in a commit .* \(verification did\)$/,
    ),
    expect.stringMatching(
      /^put HEAD back to main at \w+, from other, as it was before; 1 new commit removed: /,
    ),
  ]);
  expect(project.git("branch", "--show-current")).toBe("main");
  expect(project.commits()).toEqual(["a person's commit", "configure ralph", "start"]);
  expect(project.read("check.sh")).toContain("grep");
  expect(project.git("status", "--porcelain").split("\n")).toContain("?? notes.txt");
});

test("LOOP-20: an uncommitted edit of a person that the verification before the first attempt changes is reported", async () => {
  await withCode("echo more >> src/base.txt", fine);
  project.write("src/base.txt", "good, edited by a person\n");
  const { events } = await project.run("--allow-dirty");
  expect(warnings(events)).toEqual([
    "src/base.txt, which has uncommitted changes of yours, was changed: review it (verification did)",
  ]);
  expect(outcomes(events)).toEqual(["done"]);
});

/** As `withCode`, after a first task that is done, so that an agent may have written the code. */
async function afterFirstTask(code: string, config: string): Promise<void> {
  await withCode(code, fine, config);
  project.git("mv", "person.txt", "later.txt");
  project.git("commit", "-qm", "the code does not run yet");
  expect(outcomes((await project.run()).events)).toEqual(["done"]);
  project.git("mv", "later.txt", "person.txt");
  project.git("commit", "-qm", "a person's commit");
  await project.addTasks([{ id: "t-2", title: "two" }]);
}

const planted = ["~/.npmrc", ".npmrc"].map(
  (file) => `${file} was added: it configures programs of verification`,
);

test("LOOP-18 TRUST-11: what the verification before the first attempt plants for later commands fails attempts under strict", async () => {
  await afterFirstTask("echo script-shell=true | tee .npmrc > ~/.npmrc", "verifyGuard: strict\n");
  project.write(".git/info/exclude", ".npmrc\n");
  project.setScript({ "*": [fine] });
  const { events } = await project.run();
  const ends = [" (verification did)", "; undo it, or accept it: ralph trust approve"];
  expect(warnings(events)).toEqual(ends.flatMap((end) => planted.map((warning) => warning + end)));
  expect(finished(events)).toMatchObject([{ outcome: "failed", warnings: planted }]);
});

test("LOOP-18 TRUST-11: what verification installs before the first agent has worked is nobody's change", async () => {
  await withCode("echo script-shell=true > .npmrc", fine, "verifyGuard: strict\n");
  project.write(".git/info/exclude", ".npmrc\n");
  const { events } = await project.run();
  expect([warnings(events), outcomes(events)]).toEqual([[], ["done"]]);
});

test("LOOP-18 TRUST-11: the verification before the first attempt is not blamed for a change of an earlier run", async (context) => {
  onlyInLongForm(context);
  await afterFirstTask(":", "verifyGuard: clean\n");
  const plant = [["sh", "-c", "echo script-shell=true > ~/.npmrc"]];
  project.setScript({ "*": [{ ...fine, run: plant }] });
  expect(outcomes((await project.run()).events)).toEqual(["failed"]);
  await project.ralph("task", "reset", "t-2");
  const { events } = await project.run();
  const [named = ""] = planted;
  expect(warnings(events)).toEqual([`${named}; undo it, or accept it: ralph trust approve`]);
  expect(outcomes(events)).toEqual(["failed"]);
});

const staging = [
  'cd "$(cat ~/project)"; hollow=$(echo exit 0 | git hash-object -w --stdin)',
  "git update-index --cacheinfo 100644,$hollow,check.sh",
  "for n in 1 2 3 4 5 6; do git update-index --add --cacheinfo 100644,$hollow,new$n.sh; done",
].join("\n");

test.each(variants(["the verification before the first attempt", "ralph verify"], 1))(
  "LOOP-18 LOOP-20: under clean, what %s stages in the project's index is put back, and named",
  async (what) => {
    await withCode(staging, fine, "verifyGuard: clean\n");
    writeFileSync(join(project.home, "project"), project.dir);
    project.write("mine.txt", "mine\n");
    project.git("add", "mine.txt");
    const isRun = what !== "ralph verify";
    const said = isRun
      ? warnings((await project.run("--allow-dirty")).events)
      : (await project.ralph("verify")).stderr.split("\n").filter((line) => line.startsWith("warning: "));
    const by = isRun ? "(verification did)" : "(changed during the verification)";
    const staged = (path: string) =>
      new RegExp(
        `put back what was staged of ${path}: git cat-file blob \\w+ shows the other .*${by.slice(1, -1)}`,
      );
    const named = ["check.sh", "new1.sh", "new2.sh", "new3.sh", "new4.sh"].map(staged);
    const all = [...named, /put back what was staged of 2 more files/];
    expect(said).toEqual(all.map((line) => expect.stringMatching(line)));
    expect(project.git("diff", "--cached", "--name-only")).toBe("mine.txt");
  },
);
