import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makePipe } from "../temp-repository.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Repeats until it is there: ralph may recreate the folder between the two commands. */
const replaced = (condition: string, command: string): string =>
  `until [ ${condition} .ralph ]; do rm -rf .ralph; ${command}; done 2>/dev/null`;

const attacks: readonly string[] = [
  `cp -r .ralph ../copy-1; ${replaced("-L", "ln -s ../copy-1 .ralph")}`,
  `mv .ralph ../copy-2; ${replaced("-L", "ln -s ../copy-2 .ralph")}`,
  replaced("-f", "echo x > .ralph"),
  replaced("-p", "mkfifo .ralph"),
  replaced("-L", "ln -s ../nowhere .ralph"),
  "mv .ralph ../copy-3; mkdir -m 755 .ralph; mv ../copy-3/* .ralph",
];

test("LOOP-18 TRUST-6: whatever an agent puts in place of ralph's folder, the folder is back and the work is recorded", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const steps = attacks.map((attack, at) => [
    `t-${at}`,
    [{ write: { "src/{id}.txt": "x" }, run: [["sh", "-c", attack]] }],
  ]);
  await project.useWorker(Object.fromEntries(steps), 'verify: ["true"]\nlimits: { maxAttempts: 1 }\n');
  await project.addTasks(attacks.map((_, at) => ({ id: `t-${at}`, title: `t-${at}` })));
  const { events, stderr } = await project.run();
  expect(stderr).toBe("");
  const finished = events.filter(({ type }) => type === "iteration.finished");
  expect(finished.map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual(
    attacks.map((_, at) => `t-${at} done`),
  );
  for (const at of [0, 1, 2, 3, 4])
    expect(finished[at]?.["warnings"], attacks[at]).toContain("put back .ralph: an agent may not change it");
});

/** Makes folders deeper than paths can be. */
const deep = `i=0; while [ $i -lt 50 ]; do mkdir -p ${"d/".repeat(100)}; cd -P ${"d/".repeat(100)}; i=$((i+1)); done`;

test("LOOP-18 TRUST-12: a deep folder in place of the store is moved away, where no link leads elsewhere", async (context) => {
  onlyInLongForm(context);
  project = practice({ "src/base.txt": "ok\n" });
  const links =
    "mkdir ../elsewhere; mkdir -p .ralph/put-aside; ln -s ../../../elsewhere .ralph/put-aside/$RALPH_RUN_ID";
  const attack = `${links}; mkdir -p .claude/skills/evil; rm .ralph/progress.db*; mkdir .ralph/progress.db; cd .ralph/progress.db; ${deep}`;
  const temporary = `cd $TMPDIR; ${deep}`;
  const work = { write: { "src/{id}.txt": "x" } };
  await project.useWorker(
    {
      "t-1": [{ ...work, run: [["sh", "-c", attack]] }],
      "t-2": [{ ...work, run: [["sh", "-c", temporary]] }],
    },
    'verify: ["true"]\n',
  );
  await project.addTasks(["one", "two"]);
  const { code, events, stderr } = await project.run();
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const finished = events.filter(({ type }) => type === "iteration.finished");
  expect(finished[0]?.["warnings"]).toContain("put back .ralph/progress.db: an agent may not change it");
  expect(readdirSync(join(project.dir, "../elsewhere"))).toEqual([]);
  expect(readdirSync(join(project.dir, ".ralph/tmp"))).toEqual([]);
});

test("TRUST-12: a pipe in place of the user's approvals ends in a sentence", async () => {
  project = practice();
  mkdirSync(join(project.dir, ".ralph"));
  writeFileSync(join(project.dir, ".ralph/config.yaml"), 'verify: ["true"]\n');
  const approvals = join(project.home, "state/ralph/approvals.json");
  mkdirSync(dirname(approvals), { recursive: true });
  makePipe(approvals);
  const { code, stderr } = await project.start("trust", "show");
  expect(stderr).toContain(`${approvals}`);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(5);
});

test("LOOP-18 TRUST-10: a pipe, a link or a folder in place of .ralph/.gitignore neither stops nor fails ralph", async (context) => {
  onlyInLongForm(context);
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" } }] }, 'verify: ["true"]\n');
  await project.addTasks(["one"]);
  const file = join(project.dir, ".ralph/.gitignore");
  const places = [
    () => makePipe(file),
    () => mkdirSync(join(file, "x"), { recursive: true }),
    () => symlinkSync("../nowhere", file),
  ];
  for (const place of places) {
    rmSync(file, { recursive: true, force: true });
    place();
    const { code, stderr } = await project.start("verify");
    expect([code, stderr.includes("bug in ralph")], String(place)).toEqual([0, false]);
    expect(project.read(".ralph/.gitignore")).toContain("!config.yaml");
  }
  expect((await project.run()).code).toBe(0);
});
