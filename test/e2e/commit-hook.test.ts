import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { killRalph } from "../crash/kill-ralph.ts";
import { variants } from "../test-size.ts";
import { type Practice, practice, type RunEvent, ralphBin } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const todo = { write: { "src/{id}.txt": "TODO\n" } };
const fine = { write: { "src/{id}.txt": "fine\n" }, run: [["cp", "tasks.md", "../list-{attempt}.md"]] };
const noTodo = `if grep -rn TODO src; then echo "eslint: 1 problem" >&2; exit 1; fi`;

function hook(script: string): void {
  project.write(".git/hooks/pre-commit", `#!/bin/sh\n${script}\n`);
  chmodSync(join(project.dir, ".git/hooks/pre-commit"), 0o755);
}

/** Two tasks of a checklist, the second of which waits for the first, and a pre-commit hook. */
async function withHook(
  script: string,
  steps: Readonly<Record<string, unknown>>,
  config = "",
): Promise<void> {
  project = practice({ "tasks.md": "- [ ] one\n- [ ] two\n", "src/base.txt": "x\n" });
  const prompts = join(project.dir, "../prompts");
  await project.useWorker({ prompts, ...steps }, `verify: ["test -e src"]\n${config}`);
  await project.ralph("task", "import", "tasks.md");
  const [first, second] = await tasks();
  await project.ralph("task", "depend", String(second?.id), String(first?.id));
  hook(script);
}

async function tasks(): Promise<readonly { readonly id: string; readonly status: string }[]> {
  return (await project.json("task", "list")) as { id: string; status: string }[];
}

const statuses = async (): Promise<readonly string[]> => (await tasks()).map(({ status }) => status);
const of = (events: readonly RunEvent[], type: string): readonly RunEvent[] =>
  events.filter((event) => event.type === type);
const outside = (file: string): string => readFileSync(join(project.dir, "..", file), "utf8");

test("LOOP-21: a commit that a hook refuses is a failed attempt, with the hook's output shown to the next", async () => {
  const look = `"${process.execPath}" "${ralphBin}" task list --json >> ../during`;
  await withHook(`${look}\n${noTodo}`, { "*": [todo, fine] });
  const [first] = await tasks();
  const { code, events, stderr } = await project.run(String(first?.id));
  expect([stderr, code]).toEqual(["", 0]);
  const ends = of(events, "iteration.finished");
  expect(ends).toMatchObject([
    {
      outcome: "failed",
      verification: "failed",
      category: "lint_error",
      taskStatus: "pending",
      unblocked: [],
      reason: expect.stringContaining("pre-commit"),
      errorExcerpt: expect.stringMatching(/src\/.*:1:TODO[\s\S]*eslint: 1 problem/),
    },
    { outcome: "done", attempt: 2, taskStatus: "done", unblocked: [expect.any(String)] },
  ]);
  expect(of(events, "story_failed")).toHaveLength(1);
  expect(of(events, "story_complete")).toMatchObject([{ commitHash: project.git("rev-parse", "HEAD") }]);
  const during = outside("during")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)[0].status);
  expect(during).toEqual(["in_progress", "in_progress"]);
  expect(outside("list-2.md")).toBe("- [ ] one\n- [ ] two\n");
  expect(outside(`prompts/${first?.id}-2.txt`)).toMatch(/Previous Attempts[\s\S]*eslint: 1 problem/);
  expect(await statuses()).toEqual(["done", "pending"]);
  expect(project.read("tasks.md")).toBe("- [x] one\n- [ ] two\n");
  expect(project.git("status", "--porcelain")).toBe("");
  const told = (await project.ralph("log", String(first?.id))).stdout;
  expect(told).toMatch(/attempt 1 · failed \(failed\).*pre-commit[\s\S]*attempt 2 · done \(passed\)/);
  const log = (await project.json("log", String(first?.id))) as { attempts: unknown[]; reports: unknown[] };
  expect([log.attempts.length, log.reports.length]).toEqual([2, 1]);
});

/** The command lines of all processes. */
const running = (): string =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .join("\n");

test.skipIf(!existsSync("/proc/self/cmdline")).each(variants(["auto", "off"], 1))(
  "LOOP-18 LOOP-12: what a hook leaves running ends with the commit, also when it holds the output (sandbox %s)",
  async (sandbox) => {
    const length = `${3000 + Math.floor(Math.random() * 1e6)}.75`;
    await withHook(
      `echo own >> ../own; setsid env -i /bin/sleep ${length} &`,
      { "*": [fine] },
      `sandbox: "${sandbox}"\n`,
    );
    const [first] = await tasks();
    expect((await project.run(String(first?.id))).code).toBe(0);
    expect(outside("own")).toBe("own\n");
    expect(running()).not.toContain(`sleep ${length}`);
    const left = join(project.dir, ".ralph/tmp");
    expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  },
);

test("LOOP-21: a hook that cannot be run is trouble of the environment: the work waits for its commit, undone", async () => {
  await withHook("no-such-linter --fix", { "*": [fine] });
  const { code, events } = await project.run();
  expect([code, events.at(-1)?.["reason"]]).toEqual([5, "commit-failed"]);
  expect(events.at(-1)?.["summary"]).toMatch(/no-such-linter/);
  expect(events.at(-1)).toMatchObject({ tasks: { done: 0 }, next: "ralph run" });
  expect(await statuses()).toEqual(["in_progress", "pending"]);
  rmSync(join(project.dir, ".git/hooks/pre-commit"));
  const { stdout, code: fixed } = await project.ralph("run");
  expect(fixed).toBe(0);
  expect(stdout).toContain("completed 1 pending commit of an earlier run");
  expect(await statuses()).toEqual(["done", "done"]);
});

test.each(
  variants(
    [
      ["makes the commit", "exit 0", ["done"]],
      ["takes the refusal as a failed attempt", noTodo, ["failed", "done"]],
    ],
    1,
  ),
)("LOOP-11 LOOP-21: killed between record and commit, the next start %s", async (_, then, outcomes) => {
  const kill = `if [ ! -f ../killed ]; then touch ../killed; ${killRalph}; exit 1; fi`;
  // In a namespace a hook cannot see ralph.
  await withHook(`${kill}\n${then}`, { "*": [todo, fine] }, "sandbox: off\n");
  const [first] = await tasks();
  const id = String(first?.id);
  await project.start("run", id);
  expect(existsSync(join(project.dir, "../killed"))).toBe(true);
  expect((await tasks())[0]?.status).toBe("in_progress");
  const { code, stderr } = await project.run(id);
  expect([stderr, code]).toEqual(["", 0]);
  const log = (await project.json("log", id)) as { attempts: { outcome: string }[]; commits: unknown[] };
  expect(log.attempts.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(log).toMatchObject({ status: "done", interruptions: [], commits: [expect.any(String)] });
  expect(project.read("tasks.md")).toBe("- [x] one\n- [ ] two\n");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.commits().filter((subject) => subject.startsWith("one"))).toHaveLength(1);
});

test("LOOP-21: a person's commit after a refusal holds neither the refused work nor the tick", async () => {
  await withHook("echo error: never; exit 1", { "*": [todo] });
  const [first] = await tasks();
  await project.run(String(first?.id), "--max-attempts", "1");
  rmSync(join(project.dir, ".git/hooks/pre-commit"));
  project.write("mine.txt", "mine\n");
  project.git("add", "mine.txt");
  project.git("commit", "-qm", "mine");
  expect(project.git("show", "--format=", "--name-only", "HEAD")).toBe("mine.txt");
  expect(project.read("tasks.md")).toBe("- [ ] one\n- [ ] two\n");
  expect(await statuses()).toEqual(["blocked", "pending"]);
});

test("LOOP-11 LOOP-21: killed while a hook runs, ralph leaves nothing staged", async () => {
  await withHook(
    `if [ ! -f ../killed ]; then touch ../killed; ${killRalph}; exit 1; fi`,
    { "*": [fine] },
    "sandbox: off\n",
  );
  const [first] = await tasks();
  await project.start("run", String(first?.id));
  expect(existsSync(join(project.dir, "../killed"))).toBe(true);
  expect(project.git("diff", "--cached", "--name-only")).toBe("");
});
