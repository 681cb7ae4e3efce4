import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, count, shellWord } from "../../../base/text.ts";
import { childEnvironment, isRunByNpm } from "../../../config/environment.ts";
import { previewAttempt } from "../../../loop/preview-attempt.ts";
import { reportsOf } from "../../../memory/read-failures.ts";
import { addDependency } from "../../../tasks/graph/task-graph.ts";
import { requireTask, updateTask } from "../../../tasks/graph/task-store.ts";
import { importTasks } from "../../../tasks/import-tasks.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { initRepository } from "../../../workspace/open-workspace.ts";
import { createSession } from "../../project/session.ts";
import { assembleRun } from "../../run/prepare-run.ts";
import { runInProcess } from "../../run/run-in-process.ts";
import {
  type CommandSpec,
  type OptionValue,
  type Project,
  type Session,
  withProject,
} from "../../shell/command.ts";
import { practiceFiles } from "./practice-project.ts";

/** `ralph demo`: the whole loop on a practice repository (LOOP-15). */
export const command: CommandSpec = {
  description:
    "Creates a small git repository in a temporary folder and runs the real loop there with a scripted agent, which fails, learns and succeeds. Needs no account and no network.",
  run: (session, { options }) => runDemo(session, options),
};

type Options = Readonly<Record<string, OptionValue>>;

/**
 * Runs the demo: creates the practice repository, lets the first task fail once, shows the retry's prompt section and
 * runs to the end. Returns the exit code of the last run, 0 on success.
 */
async function runDemo({ around }: Session, options: Options): Promise<number> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ralph-demo-")));
  const files = { ...practiceFiles, ".ralph/config.yaml": configText() };
  await initRepository(root, files, childEnvironment());
  const session = createSession(
    { ...options, directory: root, config: join(root, ".ralph/config.yaml") },
    around,
  );
  const opening = { create: true, flags: { agent: "command", strategy: "escalate" } };
  return withProject(session, opening, async (project) => {
    const { created } = await importTasks(
      project.db,
      { projectRoot: root, path: "tasks.md" },
      session.clock.now(),
    );
    await project.db.transaction(async (tx) => {
      const now = session.clock.now();
      await addDependency(tx, { taskId: "1.2", blockerId: "1.1" }, now);
      await updateTask(tx, "1.1", { allowRed: true }, now);
    });
    printLines(session, [
      safe`Practice project: ${storedText(root)}`,
      safe`${count(created.length, "task")} imported from tasks.md; 1.2 waits for 1.1.`,
      safe`The tests fail until 1.1 is done, so 1.1 may begin while they do (ralph task edit 1.1 --allow-red).`,
    ]);

    printLines(session, [
      safe``,
      safe`1. One iteration. The agent will claim that the task is done; the tests decide.`,
      safe``,
    ]);
    await runOnce(session, project, 1);
    printLines(session, [
      safe``,
      safe`2. ralph recorded the failure. The next prompt will contain:`,
      safe``,
      ...(await keptSummary(session, project)),
    ]);

    printLines(session, [safe`3. ralph continues with the retry and the second task.`, safe``]);
    const exitCode = await runOnce(session, project, 0);
    printLines(session, [safe``, ...(await learnedSummary(project))]);
    return exitCode;
  });
}

function printLines(session: Session, lines: readonly SafeText[]): void {
  if (!session.json) session.out(joinSafe(lines, "\n"));
}

function configText(): string {
  const agent = fileURLToPath(new URL("./demo-agent.cjs", import.meta.url));
  const start = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(agent)} "$RALPH_TASK_ID"`;
  const argv = JSON.stringify(["/bin/sh", "-c", start]);
  return [
    "agent: command",
    "agents:",
    `  command: { argv: ${argv}, tiers: [small, large] }`,
    'verify: ["node --test --test-reporter=spec"]',
    "hivemind: { store: off }",
    "",
  ].join("\n");
}

/** Runs the loop; `maxIterations` 0 means no limit. */
async function runOnce(session: Session, project: Project, maxIterations: number): Promise<number> {
  const run = await assembleRun(session, project, { only: null, spec: null, template: null, options: {} });
  const limits = { ...run.options.limits, maxIterations };
  const isLast = maxIterations === 0;
  return runInProcess(
    session,
    { ...run, options: { ...run.options, limits } },
    { hints: isLast, whole: null },
  );
}

async function keptSummary({ around }: Session, project: Project): Promise<readonly SafeText[]> {
  const task = await requireTask(project.db, "1.1");
  const session = createSession({ directory: project.root }, around);
  const run = await assembleRun(session, project, { only: null, spec: null, template: null, options: {} });
  const { prompt } = await previewAttempt(run, { task, agent: run.agents[0], number: 2 });
  const section =
    /^#+ Previous Attempts[\s\S]*?(?=^#{1,3} (?!Attempt)|$(?![\s\S]))/m.exec(prompt.prompt)?.[0] ??
    prompt.prompt;
  return section
    .trimEnd()
    .split("\n")
    .map((line) => safe`   | ${clip(storedText(line), 140)}`)
    .concat(safe``);
}

async function learnedSummary(project: Project): Promise<readonly SafeText[]> {
  const reports = await reportsOf(project.db, "1.1");
  const kept = reports.map(
    (report) =>
      safe`   task 1.1, attempt ${report.attempt} (${storedText(report.category)}): ${clip(storedText(report.whyFailed), 200)}`,
  );
  const ralph = storedText(commandOfRalph());
  return [
    safe`What ralph recorded:`,
    ...kept,
    safe`   The second attempt had this failure in its prompt, and passed.`,
    safe`Everything is stored in ${storedText(join(project.root, ".ralph/progress.db"))}. Explore it with:`,
    safe`   cd ${storedText(project.root)}`,
    safe`   ${ralph} status`,
    safe`   ${ralph} log 1.1`,
    safe`   ${ralph} diff 1.1`,
    safe`Next: run \`${ralph} init\` in your own project.`,
  ];
}

/** Returns the words that start this ralph in the user's shell: `npm run demo` and `npx` install no `ralph` there. */
function commandOfRalph(): string {
  if (!isRunByNpm()) return "ralph";
  const program = fileURLToPath(new URL("../bin/ralph.js", import.meta.url));
  return `node ${shellWord(program)}`;
}
