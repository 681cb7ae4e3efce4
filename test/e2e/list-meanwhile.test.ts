import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const forms = {
  "tasks.md": "# Plan\n\n- [ ] 1. One\n- [ ] 2. Two\n- [ ] 3. Three\n",
  "tasks.yaml":
    "tasks:\n  - id: '1'\n    title: One\n  - id: '2'\n    title: Two\n  - id: '3'\n    title: Three\n",
  "prd.json": `${JSON.stringify({ userStories: ["One", "Two", "Three"].map((title, at) => ({ id: `${at + 1}`, title, passes: false })) }, null, 2)}\n`,
} as const;
type Form = keyof typeof forms;
type Line = { readonly title: string; readonly status: string };

/** Imports the list; `act`, as a person, runs in the session of the first task, whose work fails if `fails`. */
async function start(file: Form, act: string, { fails = false, config = "" } = {}): Promise<void> {
  project = practice({ [file]: forms[file] });
  project.write("../act.sh", `[ ! -e ../acted ] || exit 0\ntouch ../acted\n${act}\n`);
  const step = (text: string) => ({ write: { "{id}.txt": text }, run: [["sh", "../act.sh"]] });
  await project.useWorker(
    { "1": [step(fails ? "BROKEN\n" : "x\n")], "*": [step("x\n")] },
    `verify: ["! grep -q BROKEN *.txt"]\n${config}`,
  );
  expect((await project.ralph("task", "import", file)).code).toBe(0);
}

/** The number of open items in the file. */
const openItems = (file: Form): number =>
  project.read(file).split(/\[ \]|title:|"passes": false/).length -
  1 -
  (file === "tasks.yaml" ? project.read(file).split(/completed: true|status: done/).length - 1 : 0);

async function worked(...args: string[]) {
  const { code, events } = await project.run(...args);
  const tasks = (await project.json("task", "list")) as readonly Line[];
  const states = tasks.map(({ title, status }) => `${title} ${status}`).sort();
  const warnings = finished(events).flatMap((end) => end["warnings"] as readonly string[]);
  return { code, states, warnings, end: events.at(-1), sessions: finished(events).length };
}

const append: Readonly<Record<Form, string>> = {
  "tasks.md": "echo '- [ ] 4. Four' >> tasks.md",
  "tasks.yaml": "printf \"  - id: '4'\\n    title: Four\\n\" >> tasks.yaml",
  "prd.json": `sed -i 's/^  ]$/,{"id": "4", "title": "Four", "passes": false}]/' prd.json`,
};
const reword = (file: Form): string => `sed -i 's/Two/Two, in red/' ${file}`;
const remove: Readonly<Record<Form, string>> = {
  "tasks.md": "sed -i /Three/d tasks.md",
  "tasks.yaml": "sed -i \"/id: '3'/,/Three/d\" tasks.yaml",
  "prd.json": `node -e "fs=require('fs');j=JSON.parse(fs.readFileSync('prd.json'));j.userStories.pop();fs.writeFileSync('prd.json',JSON.stringify(j,null,2))"`,
};
const tick: Readonly<Record<Form, string>> = {
  "tasks.md": "sed -i 's/\\[ \\] 3/[x] 3/' tasks.md",
  "tasks.yaml": "sed -i 's/title: Three/&\\n    completed: true/' tasks.yaml",
  "prd.json": `node -e "fs=require('fs');j=JSON.parse(fs.readFileSync('prd.json'));j.userStories[2].passes=true;fs.writeFileSync('prd.json',JSON.stringify(j,null,2))"`,
};
const all = ["One done", "Three done", "Two done"];

test.each(variants(Object.keys(forms) as Form[], 2))(
  "TASK-10: a person who rewords, deletes and appends items of %s during a session is followed in the same run",
  async (file) => {
    await start(file, [reword(file), remove[file], append[file]].join("\n"));
    const { code, states, warnings } = await worked();
    expect([code, states, warnings]).toEqual([0, ["Four done", "One done", "Two, in red done"], []]);
    expect([openItems(file), project.git("status", "--porcelain")]).toEqual([0, ""]);
  },
);

test.each(variants(["tasks.yaml", "tasks.md", "prd.json"] as const, 1))(
  "TASK-10: a box of %s that is ticked during a session is put back, and its task done; an item beside it stays",
  async (file) => {
    await start(file, `${tick[file]}\n${append[file]}`);
    const { code, states, warnings, sessions } = await worked();
    expect([code, states, sessions]).toEqual([0, ["Four done", ...all], 4]);
    expect(warnings).toEqual([expect.stringContaining(`put back checkboxes in ${file}`)]);
  },
);

test.each(variants(["tasks.md", "tasks.yaml", "prd.json"] as const, 1))(
  "TASK-10: an uncommitted edit of %s before a run is adopted, and committed with the next task",
  async (file) => {
    await start(file, "true");
    await project.ralph("run", "--once");
    execFileSync("sh", ["-c", `${append[file]}\n${reword(file)}`], { cwd: project.dir });
    const { code, states, warnings } = await worked();
    expect([code, states, warnings]).toEqual([
      0,
      ["Four done", "One done", "Three done", "Two, in red done"],
      [],
    ]);
    expect([openItems(file), project.git("status", "--porcelain")]).toEqual([0, ""]);
  },
);

test.each(variants([["salvage"], ["rollback"]] as const, 1))(
  "TASK-10 LOOP-16: what is edited in the list stays when the attempt's work leaves the tree (%s)",
  async (kind) => {
    const config = kind === "rollback" ? "onFailure: rollback\n" : "";
    await start("tasks.md", `echo '- [ ] 4. Four' >> tasks.md`, { fails: true, config });
    const { code, states } = await worked("--max-attempts", "1");
    expect([code, states]).toEqual([4, ["Four done", "One blocked", "Three done", "Two done"]]);
    expect(project.read("tasks.md")).toContain("- [x] 4. Four");
  },
);

test.each(["before the run", "during a session"])(
  "TRUST-5 TASK-10: a verification that a list names %s is not executed before a person approves it",
  async (when) => {
    const add =
      "printf \"  - id: '4'\\n    title: Four\\n    verification: ['touch ../ran']\\n\" >> tasks.yaml";
    await start("tasks.yaml", when === "before the run" ? "true" : add);
    if (when === "before the run") execFileSync("sh", ["-c", add], { cwd: project.dir });
    const { code, states, end } = await worked();
    expect([code, states]).toEqual([4, ["Four pending", ...all]]);
    expect(end).toMatchObject({ hint: expect.stringContaining("ralph trust approve") });
    expect(existsSync(join(project.dir, "../ran"))).toBe(false);
    await project.answer("trust", "approve", "--yes");
    expect((await worked()).states).toEqual(["Four done", ...all]);
    expect(existsSync(join(project.dir, "../ran"))).toBe(true);
  },
);

test("TASK-10 LOOP-14: a run with open items in its list, or a list that cannot be read, does not end as done", async () => {
  await start("tasks.md", append["tasks.md"], { config: "sync: off\n" });
  const { code, end } = await worked();
  expect([code, end]).toEqual([
    4,
    expect.objectContaining({
      summary: expect.stringContaining("tasks.md has 1 open item not imported"),
      hint: expect.stringContaining("ralph task sync"),
    }),
  ]);
  project.remove();
  await start("tasks.yaml", "true");
  project.write(
    ".git/hooks/post-commit",
    "#!/bin/sh\n[ -e ../broken ] || echo '] [' >> tasks.yaml\ntouch ../broken\n",
  );
  chmodSync(join(project.dir, ".git/hooks/post-commit"), 0o755);
  const broken = await worked();
  expect([broken.code, broken.states]).toEqual([4, all]);
  expect(broken.end).toMatchObject({ summary: expect.stringMatching(/stuck.*tasks\.yaml:\d+/) });
});
