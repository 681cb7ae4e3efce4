import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

// What an agent planted in one run still judges nothing in the next one.
let project: Practice;
afterEach(() => project?.remove());

const plant = "[ -e ~/.npmrc ] || echo script-shell=true > ~/.npmrc";
const planter = { write: { "src/{id}.txt": "good\n" }, run: [["sh", "-c", plant]] };
const planted = "~/.npmrc was added: it configures programs of verification";
const config = 'verify: ["! grep -rq broken src"]\nlimits: { maxAttempts: 1 }\n';
const hint = "undo it, or accept it: ralph trust approve";

const npmrc = (): string => join(project.home, ".npmrc");
const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);
const atStart = (events: readonly RunEvent[]) =>
  events.find(({ type }) => type === "run.started")?.["warnings"] as readonly string[];
const restored = (events: readonly RunEvent[]): readonly string[] =>
  events.filter(({ type }) => type === "guard.restored").flatMap((event) => event["warnings"] as string[]);
const again = async (): Promise<readonly RunEvent[]> => {
  await project.ralph("task", "reset", "t-1");
  return (await project.run()).events;
};

async function withPlant(guard: string): Promise<void> {
  project = practice({ "src/base.txt": "good\n" });
  await project.useWorker({ "*": [planter] }, `${config}verifyGuard: ${guard}\n`);
  await project.addTasks(["one"]);
}

test("LOOP-18 TRUST-11: a planted file fails the attempts of later runs too, until a person accepts it", async () => {
  await withPlant("strict");
  const first = (await project.run()).events;
  expect([outcomes(first), restored(first)]).toEqual([["failed"], [`${planted}; ${hint}`]]);

  const second = await again();
  const earlier = planted.replace("added:", "added during an earlier run:");
  expect(atStart(second)).toContain(`${earlier}; ${hint}`);
  expect(finished(second)).toMatchObject([{ outcome: "failed", warnings: [planted] }]);

  expect((await project.ralph("trust", "show")).stdout).toContain(`  ${planted}\n`);
  const approved = await project.ralph("trust", "approve", "--yes");
  expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining(planted)]);
  const third = await again();
  expect([atStart(third), outcomes(third), restored(third)]).toEqual([[], ["done"], []]);
});

test("LOOP-18 TRUST-11: a planted file that a person edited or removed between runs is the person's", async (context) => {
  onlyInLongForm(context);
  await withPlant("clean");
  expect(outcomes((await project.run()).events)).toEqual(["failed"]);
  writeFileSync(npmrc(), "fund=false\n");
  expect((await project.ralph("trust", "approve")).stderr).toContain("everything is already approved");
  const edited = await again();
  expect([atStart(edited), outcomes(edited), restored(edited)]).toEqual([[], ["done"], []]);
});

test("LOOP-18 TRUST-11: what a hook of the run's last commit plants is reported, and counts in the next run", async () => {
  await withPlant("strict");
  project.setScript({ "*": [{ write: { "src/{id}.txt": "good\n" } }] });
  project.write(".git/hooks/pre-commit", "#!/bin/sh\nname=npmrc; echo script-shell=true > ~/.$name\n");
  chmodSync(join(project.dir, ".git/hooks/pre-commit"), 0o755);
  const first = (await project.run()).events;
  const lines = [`${planted} (a hook did)`, `${planted}; ${hint}`];
  expect([outcomes(first), restored(first)]).toEqual([["done"], lines]);
  expect(existsSync(npmrc())).toBe(true);
  await project.addTasks([{ id: "t-2", title: "two" }]);
  expect(finished((await project.run()).events)).toMatchObject([{ outcome: "failed", warnings: [planted] }]);
  rmSync(npmrc());
  project.write(".git/hooks/pre-commit", "#!/bin/sh\n");
  await project.ralph("task", "reset", "t-2");
  const undone = (await project.run()).events;
  expect([atStart(undone), outcomes(undone), restored(undone)]).toEqual([[], ["done"], []]);
});

test("LOOP-18 TRUST-11: a script that a hook of the last commit rewrites counts in later runs, until a person commits it", async (context) => {
  onlyInLongForm(context);
  project = practice({ "src/base.txt": "good\n", "check.sh": "! grep -rq broken src\n" });
  const settings = config.replace("! grep -rq broken src", "sh check.sh");
  await project.useWorker(
    { "*": [{ write: { "src/{id}.txt": "good\n" } }] },
    `${settings}verifyGuard: strict\nverifyBaseline: off\n`,
  );
  await project.addTasks(["one", "two", "three"]);
  project.write(".git/hooks/post-commit", "#!/bin/sh\nname=check; echo exit 0 > $name.sh\n");
  chmodSync(join(project.dir, ".git/hooks/post-commit"), 0o755);
  const rewritten = "check.sh was changed: verification runs it";
  const first = (await project.run("t-1")).events;
  expect([outcomes(first), restored(first)]).toEqual([
    ["done"],
    [`${rewritten} (a hook did)`, `${rewritten}; ${hint}`],
  ]);
  const second = (await project.run("t-2", "--allow-dirty")).events;
  expect(finished(second)).toMatchObject([{ outcome: "failed", warnings: [rewritten] }]);
  rmSync(join(project.dir, ".git/hooks/post-commit"));
  project.git("commit", "-qam", "reviewed");
  const third = (await project.run("t-3")).events;
  expect([atStart(third), outcomes(third), restored(third)]).toEqual([[], ["done"], []]);
});

test("LOOP-18 TRUST-11: under report a planted file is reported once, and later runs say nothing", async () => {
  await withPlant("report");
  const first = (await project.run()).events;
  expect(finished(first)).toMatchObject([{ outcome: "done", warnings: [planted] }]);
  await project.addTasks([{ id: "t-2", title: "two" }]);
  const second = (await project.run()).events;
  expect([atStart(second), restored(first), restored(second)]).toEqual([[], [], []]);
  expect(finished(second)).toMatchObject([{ outcome: "done", warnings: [] }]);
});

test("LOOP-18: a file of a task that was not finished is judged by git, not noted for later runs", async () => {
  project = practice({ "src/base.txt": "good\n", "check.sh": "! grep -rq broken src\n" });
  const edit = { write: { "src/{id}.txt": "good\n", "check.sh": "exit 0\n", ".npmrc": "fund=false\n" } };
  await project.useWorker(
    { "*": [edit] },
    `verify: ["sh check.sh"]\nlimits: { maxAttempts: 1 }\nverifyGuard: strict\n`,
  );
  await project.addTasks(["one"]);
  const { events } = await project.run();
  expect([outcomes(events), restored(events)]).toEqual([["failed"], []]);
  const shown = (await project.ralph("trust", "show")).stdout;
  expect(shown).not.toContain("check.sh was");
  expect(shown).not.toContain(".npmrc");
});

const note = "ralph's note of unaccepted changes to what verification reads";

const tampering = [
  { what: "replaced by an earlier one", how: "changed", left: 1, tamper: writeFileSync },
  { what: "removed", how: "removed", left: 0, tamper: (file: string) => rmSync(file) },
  {
    what: "emptied",
    how: "changed",
    left: 0,
    tamper: (file: string) => writeFileSync(file, '{"changes":[]}\n'),
  },
];

test.each(variants(tampering, 0))(
  "LOOP-18 TRUST-11: a note of planted files that was $what is reported",
  async ({ how, left, tamper }) => {
    await withPlant("strict");
    const folder = join(project.env["XDG_STATE_HOME"] ?? "", "ralph/projects");
    expect(outcomes((await project.run()).events)).toEqual(["failed"]);
    const file = join(folder, readdirSync(folder)[0] ?? "", "inputs.json");
    const earlier = readFileSync(file, "utf8");
    expect(outcomes(await again())).toEqual(["failed"]);
    tamper(file, earlier);
    const [warning, ...more] = atStart(await again());
    expect(warning).toContain(`${note} was ${how} other than by ralph: review`);
    // What the note still states counts.
    expect(more).toHaveLength(left);
    expect(atStart(await again()).filter((text) => text.includes(note))).toEqual([]);
  },
);
