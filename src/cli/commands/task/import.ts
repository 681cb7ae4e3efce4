import { relative, resolve } from "node:path";
import { count } from "../../../base/text.ts";
import {
  type ImportReport,
  importFile,
  planImport,
  type ReadFile,
  readImport,
} from "../../../tasks/import-tasks.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
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
    "Takes over all tasks of a file, or none when any of it is wrong. Importing it again updates what is not done; finished tasks are ticked in the file (not in issues of GitHub, of which it is a copy).",
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
      description: "a Markdown checklist, tasks.yaml, prd.json, issues of GitHub (JSON) or of beads (JSONL)",
    },
  ],
  options: [
    {
      flags: "--format <format>",
      description:
        "what it is, when name and content do not tell: tasks-yaml, markdown, prd, github-issues or beads",
      choices: ["tasks-yaml", "markdown", "prd", "github-issues", "beads"],
    },
  ],
  run: async (session, { args, options }) => {
    refuseInsideIteration("import");
    const read = (root: string): Promise<ReadFile> => {
      const path = relative(root, resolve(session.cwd, textOption(args["file"])));
      const format = optionalText(options["format"]);
      return readImport({ projectRoot: root, path, ...(format === undefined ? {} : { format }) });
    };
    const newRoot = await projectWithoutStore(session);
    const early = newRoot === undefined ? undefined : await read(newRoot);
    const first = early && (await planImport(early));
    return withProject(session, { create: true }, async ({ root, db }) => {
      const report = await importFile(db, { ...(early ?? (await read(root))), first }, session.clock.now());
      if (session.json) session.out(jsonLine(report));
      else reportImport(session, report);
      session.note(`hint: ${await nextStep(db)}`);
      return 0;
    });
  },
};

function reportImport(session: Session, report: ImportReport): void {
  const { created, updated, unchanged, done, blocked, missing, warnings } = report;
  const parts = [
    `${count(created.length, "new task")}`,
    updated.length > 0 && `${updated.length} changed`,
    unchanged.length > 0 && `${unchanged.length} as before`,
  ].filter((part) => part !== false);
  const states = [
    done.length > 0 && `${done.length} done`,
    blocked.length > 0 && `${blocked.length} blocked`,
  ];
  const told = states.filter((part) => part !== false).join(", ");
  session.out(
    `imported ${plainLine(report.path, 200)}: ${parts.join(", ")}${told === "" ? "" : ` (${told})`}`,
  );
  for (const warning of warnings) session.note(`warning: ${plainLine(warning, 500)}`);
  if (missing.length > 0) {
    const some = missing.length > 10 ? `${missing.slice(0, 10).join(", ")}, …` : missing.join(", ");
    session.note(`warning: no longer in the file, and left as they are: ${some}`);
  }
}
