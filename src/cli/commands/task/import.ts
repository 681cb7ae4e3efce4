import { relative, resolve } from "node:path";
import { joinSafe, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import {
  type ImportReport,
  importFile,
  type ParsedImport,
  planImport,
  readImport,
} from "../../../tasks/import-tasks.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { projectWithoutStore } from "./input/dry-run.ts";
import { refuseInsideIteration } from "./input/inside-iteration.ts";
import { optionalText, textOption } from "./input/typed.ts";
import { withProject } from "./input/with-project.ts";
import { plainLine } from "./view/describe-task.ts";
import { nextStep } from "./view/next-step.ts";

/** `ralph task import`. */
export const importCommand: CommandSpec = {
  name: "import",
  summary: "import tasks from a file",
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
      description: "Markdown checklist, tasks.yaml, prd.json, GitHub issues (JSON) or beads issues (JSONL)",
    },
  ],
  options: [
    {
      flags: "--format <format>",
      description: "file format, if it is not detected correctly",
      choices: ["tasks-yaml", "markdown", "prd", "github-issues", "beads"],
    },
  ],
  run: async (session, { args, options }) => {
    refuseInsideIteration("import");
    const read = (root: string): Promise<ParsedImport> => {
      const path = relative(root, resolve(session.cwd, textOption(args["file"])));
      const format = optionalText(options["format"]);
      return readImport({ projectRoot: root, path, ...(format === undefined ? {} : { format }) });
    };
    const newRoot = await projectWithoutStore(session);
    const early = newRoot === undefined ? undefined : await read(newRoot);
    const first = early && (await planImport(early));
    return withProject(session, { create: true }, async ({ root, db }) => {
      const report = await importFile(db, { ...(early ?? (await read(root))), first }, session.clock.now());
      if (session.json) session.out(storedJson(report));
      else reportImport(session, report);
      session.note(safe`hint: ${await nextStep(db)}`);
      return 0;
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
  session.out(safe`imported ${plainLine(report.path, 200)}: ${joinSafe(parts, ", ")}${stateText}`);
  for (const warning of warnings) session.note(safe`warning: ${plainLine(warning, 500)}`);
  if (missing.length > 0) {
    const some = missing.length > 10 ? `${missing.slice(0, 10).join(", ")}, …` : missing.join(", ");
    session.note(safe`warning: kept tasks that are no longer in the file: ${storedText(some)}`);
  }
}
