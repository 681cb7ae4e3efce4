import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const plant = {
  write: {
    "src/a.txt": "a",
    ".ralph/config.yaml": 'agent: command\nverify: ["touch ../planted"]\n',
    ".ralph/prompt.md": "{{task}} planted\n",
  },
  run: [["git", "add", "-f", ".ralph/config.yaml", ".ralph/prompt.md", "src/a.txt"]],
  commit: "sneak",
};

test("LOOP-18 TRUST-5: a configuration that an agent committed is reverted by the task's commit", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker({ "*": [plant] }, 'sandbox: "off"\nverify: ["true"]\n');
  await project.addTasks(["One"]);
  const before = project.read(".ralph/config.yaml");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "iteration.finished")?.["warnings"]).toEqual(
    expect.arrayContaining([
      expect.stringContaining("the agent committed a change of .ralph/config.yaml"),
      expect.stringContaining("the agent committed a change of .ralph/prompt.md"),
    ]),
  );
  expect(project.commits()).toEqual([expect.stringContaining("One"), "sneak", "configure ralph", "start"]);
  expect(`${project.git("show", "HEAD:.ralph/config.yaml")}\n`).toBe(before);
  expect(project.git("ls-tree", "HEAD", ".ralph/prompt.md")).toBe("");
  project.git("checkout", "-q", "HEAD", "--", ".");
  expect(project.read(".ralph/config.yaml")).toBe(before);
});

test("LOOP-18 TRUST-5: after a failed attempt it is reported, and gone from the branch", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker({ "*": [plant] }, 'sandbox: "off"\nverify: ["false"]\n');
  await project.addTasks(["One"]);
  const before = project.read(".ralph/config.yaml");
  const { events } = await project.run("--max-attempts", "1");
  const { warnings } = events.find(({ type }) => type === "iteration.finished") as { warnings?: unknown };
  expect(warnings).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/committed a change of .ralph\/config.yaml: .*git checkout/),
    ]),
  );
  // A failed attempt's commits are taken off the branch.
  expect(`${project.git("show", "HEAD:.ralph/config.yaml")}\n`).toBe(before);
});

test("LOOP-16: a configuration that an agent's commit took as a person had it is not called changed", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const work = { write: { "src/a.txt": "a" }, commit: "own work" };
  await project.useWorker({ "*": [work] }, 'sandbox: "off"\nverify: ["true"]\n');
  await project.addTasks(["One"]);
  project.write(".ralph/config.yaml", `${project.read(".ralph/config.yaml")}# a person's remark\n`);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "iteration.finished")?.["warnings"]).toEqual([
    "the agent committed .ralph/config.yaml, which you had not committed, as it is",
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
});

const around = (...commands: readonly string[]): readonly string[] => ["sh", "-ec", commands.join("\n")];
const hidden: readonly (readonly [string, readonly string[], string])[] = [
  [
    "takes out of git",
    around("git rm -q --cached .ralph/config.yaml", "git commit -qm sneak"),
    ".ralph/config.yaml",
  ],
  [
    "replaces by a link of .ralph",
    around(
      "mkdir ../planted && echo 'agent: command' > ../planted/config.yaml",
      "mv .ralph ../kept && ln -s ../planted .ralph",
      "git add -A && git commit -qm sneak",
      "rm .ralph && mv ../kept .ralph",
    ),
    ".ralph",
  ],
];

test.each(variants(hidden, 1))(
  "LOOP-18 TRUST-5: a configuration that an agent's commit %s is there again",
  async (_, run, name) => {
    project = practice({ "src/base.txt": "ok\n" });
    await project.useWorker(
      { "*": [{ write: { "src/a.txt": "a" }, run: [run] }] },
      'sandbox: "off"\nverify: ["true"]\n',
    );
    await project.addTasks(["One"]);
    const before = project.read(".ralph/config.yaml");
    const { code, events } = await project.run();
    expect(code).toBe(0);
    expect(events.find(({ type }) => type === "iteration.finished")?.["warnings"]).toContainEqual(
      expect.stringContaining(`the agent committed a change of ${name}: `),
    );
    expect(`${project.git("show", "HEAD:.ralph/config.yaml")}\n`).toBe(before);
    expect(project.git("ls-tree", "HEAD", ".ralph")).toContain(" tree ");
    project.git("checkout", "-q", "HEAD", "--", ".");
    expect(project.read(".ralph/config.yaml")).toBe(before);
    expect(project.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  },
);

test("LOOP-18 TRUST-5: a configuration that an agent only staged is named", async (context) => {
  onlyInLongForm(context);
  project = practice({ "src/base.txt": "ok\n" });
  const stage = around(
    "cp .ralph/config.yaml ../kept && echo 'agent: command' > .ralph/config.yaml",
    "git add .ralph/config.yaml && cp ../kept .ralph/config.yaml",
  );
  await project.useWorker(
    { "*": [{ write: { "src/a.txt": "a" }, run: [stage] }] },
    'sandbox: "off"\nverify: ["true"]\n',
  );
  await project.addTasks(["One"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "iteration.finished")?.["warnings"]).toContainEqual(
    expect.stringMatching(
      /^\.ralph\/config\.yaml is staged in a version that is not its file's: git reset HEAD/,
    ),
  );
});

test("LOOP-18 TRUST-4: ralph's own files that an agent commits or stages are named", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const add = ["git", "add", "-f", ".ralph/progress.db", ".ralph/events.jsonl", "src/a.txt"];
  await project.useWorker(
    {
      "t-1": [{ write: { "src/a.txt": "a" }, run: [add], commit: "sneak" }],
      "t-2": [{ write: { "src/b.txt": "b" }, run: [["git", "add", "-f", ".ralph/logs"]] }],
    },
    'sandbox: "off"\nverify: ["true"]\n',
  );
  await project.addTasks(["One", "Two"]);
  const { events } = await project.run();
  const [first, second] = events.flatMap(({ type, warnings }) =>
    type === "iteration.finished" ? [warnings] : [],
  );
  expect(first).toContainEqual(
    expect.stringMatching(/^the agent committed ralph's own \.ralph\/events\.jsonl, \.ralph\/progress\.db: /),
  );
  expect(second).toContainEqual(expect.stringMatching(/^\.ralph\/logs\/\S+ is staged in a version/));
});
