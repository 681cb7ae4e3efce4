import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, shellWord } from "../../../base/text.ts";
import { childEnvironment, isRunByNpm } from "../../../config/environment.ts";
import { reportsOf } from "../../../memory/read-failures.ts";
import { htmlReport } from "../../../page/report.ts";
import { importTasks } from "../../../tasks/import-tasks.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
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
import { openWholeView } from "../../view/read-whole.ts";
import { practiceFiles } from "./practice-project.ts";

/** `ralph demo`: the whole loop on a practice repository (LOOP-15). */
export const command: CommandSpec = {
  description:
    "Creates a small git repository in a temporary folder and runs the real loop there with a scripted agent, which fails, learns and succeeds. Needs no account and no network.",
  run: (session, { options }) => runDemo(session, options),
};

type Options = Readonly<Record<string, OptionValue>>;

/**
 * Runs the demo: creates the practice repository and runs its two tasks. The first succeeds at once, the second when its prompt
 * contains the failure of the first attempt. Returns the exit code of the run, 0 on success.
 */
async function runDemo({ around }: Session, options: Options): Promise<number> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ralph-demo-")));
  const files = { ...practiceFiles, ".ralph/config.yaml": configText() };
  await initRepository(root, files, childEnvironment());
  const session = createSession(
    { ...options, directory: root, config: join(root, ".ralph/config.yaml") },
    around,
  );
  return withProject(session, { create: true, flags: { agent: "command" } }, async (project) => {
    await importTasks(project.db, { projectRoot: root, path: "tasks.md" }, session.clock.now());
    printLines(session, [
      safe`A practice project in ${storedText(root)}: a list of 2 tasks, and a scripted agent whose costs are invented.`,
    ]);
    const run = await assembleRun(session, project, { only: null, spec: null, template: null, options: {} });
    const exitCode = await runInProcess(session, run, { hints: false, whole: null });
    printLines(session, await closingLines(session, project));
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
    `  command: { argv: ${argv}, format: claude-stream-json }`,
    'verify: ["node --test --test-reporter=tap"]',
    "hivemind: { store: off }",
    "",
  ].join("\n");
}

/** Says what was remembered, writes the report of the run, and names both. */
async function closingLines(session: Session, project: Project): Promise<readonly SafeText[]> {
  const { root, db } = project;
  const page = join(root, ".ralph/report.html");
  const view = openWholeView(session, project);
  await writeFileSafely(page, htmlReport(await view.read()), { root });
  const reports = await reportsOf(db, "1.2");
  const ralph = storedText(commandOfRalph());
  return [
    ...reports.map(({ attempt, whyFailed }) => {
      const error = whyFailed.replace(/^.*exit code \d+\. /, "").replace(/\.$/, "");
      return safe`Remembered: 1.2, attempt ${attempt}: ${clip(storedText(error), 80)}. Attempt ${attempt + 1} had this in its prompt.`;
    }),
    safe`Stored in:  ${storedText(join(root, ".ralph/progress.db"))}; look around: ${ralph} -C ${storedText(root)} dashboard`,
    safe`Page:       ${storedText(pathToFileURL(page).href)}`,
    safe`Next:       run \`${ralph} init\` in your own project`,
  ];
}

/** Returns the words that start this ralph in the user's shell: `npm run demo` and `npx` install no `ralph` there. */
function commandOfRalph(): string {
  if (!isRunByNpm()) return "ralph";
  const program = fileURLToPath(new URL("../bin/ralph.js", import.meta.url));
  return `node ${shellWord(program)}`;
}
