import { relative, resolve } from "node:path";
import { joinSafe, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import {
  compareLists,
  type ImportReport,
  importTasks,
  type ListSync,
  syncLists,
} from "../../../tasks/import-tasks.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { changeLines, summarizeChanges } from "../../../ui/list-changes.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { optionalText, textOption } from "../../shell/io.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task import`. */
export const command: CommandSpec = {
  description:
    "Imports all tasks of a file, or none if the file has an error. Importing the file again adopts its changes, like `ralph task sync`. Finished tasks are ticked in the file (except in exported GitHub issues).",
  examples: [
    "ralph task import tasks.md",
    "ralph task import prd.json",
    "ralph task import .beads/issues.jsonl",
    "gh issue list --state all --limit 1000 --json number,title,body,labels,state,milestone > issues.json",
    "ralph task import issues.json",
  ],
  arguments: [
    {
      name: "<file>",
      description:
        "Markdown checklist, tasks.yaml, prd.json, Task Master's tasks.json, GitHub issues (JSON) or beads issues (JSONL)",
    },
  ],
  options: [
    {
      flags: "--format <format>",
      description: "file format, if it is not detected correctly",
      choices: ["tasks-yaml", "markdown", "prd", "task-master", "github-issues", "beads"],
    },
  ],
  run: async (session, { args, options }) => {
    const format = optionalText(options["format"]);
    return withProject(session, { create: true, own: true }, async ({ root: projectRoot, db }) => {
      const path = relative(projectRoot, resolve(session.cwd, textOption(args["file"])));
      const request = { projectRoot, path, ...(format === undefined ? {} : { format }) };
      const report = await importTasks(db, request, session.clock.now());
      if (session.json) session.out(storedJson(report));
      else reportImport(session, report);
      session.note(safe`hint: ${await nextStep(db)}`);
    });
  },
};

function reportImport(session: Session, report: ImportReport): void {
  const { created, updated, unchanged, done, blocked, removed, missing, warnings } = report;
  const parts = [
    count(created.length, "new task"),
    ...(updated.length > 0 ? [safe`${updated.length} changed`] : []),
    ...(unchanged.length > 0 ? [safe`${unchanged.length} unchanged`] : []),
    ...(removed.length > 0 ? [safe`${removed.length} removed`] : []),
  ];
  const states = [
    ...(done.length > 0 ? [safe`${done.length} done`] : []),
    ...(blocked.length > 0 ? [safe`${blocked.length} blocked`] : []),
  ];
  const stateText = states.length === 0 ? "" : safe` (${joinSafe(states, ", ")})`;
  session.out(safe`imported ${storedLine(report.path, 200)}: ${joinSafe(parts, ", ")}${stateText}`);
  for (const warning of warnings) session.note(safe`warning: ${storedLine(warning, 500)}`);
  if (missing.length > 0) {
    const some = missing.length > 10 ? `${missing.slice(0, 10).join(", ")}, …` : missing.join(", ");
    session.note(safe`warning: kept tasks that are no longer in the file: ${storedText(some)}`);
  }
}

export const sync: CommandSpec = {
  description:
    "Compares the imported files with their tasks and adopts what changed: added, renamed, moved and ticked items, and deleted ones. A deleted task that a run has worked on is kept and blocked. `ralph run` does the same when it starts (setting `sync`).",
  examples: ["ralph task sync", "ralph task sync --dry-run"],
  options: [{ flags: "--dry-run", description: "show the changes, adopt nothing" }],
  run: async (session, { options }) => {
    const dryRun = options["dryRun"] === true;
    return withProject(session, {}, async ({ db, root: projectRoot }) => {
      const lists = await (dryRun ? compareLists : syncLists)(db, { projectRoot }, session.clock.now());
      if (session.json) session.out(storedJson(lists));
      else for (const list of lists) report(session, list);
      if (lists.length === 0) session.note("hint: run `ralph task import FILE` to import a task list");
      else session.note(safe`hint: ${dryRun ? "run `ralph task sync`" : await nextStep(db)}`);
    });
  },
};

function report(session: Session, { path, changes, warnings, problem }: ListSync): void {
  const none = problem === undefined ? safe`no changes` : safe`not compared`;
  const what = changes.length === 0 ? none : summarizeChanges(changes);
  session.out(safe`${storedLine(path, 200)}: ${what}`);
  for (const line of changeLines(changes)) session.out(safe`  ${line}`);
  for (const warning of warnings) session.note(safe`warning: ${storedLine(warning, 500)}`);
}
