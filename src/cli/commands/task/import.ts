import { relative, resolve } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { joinSafe, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import {
  type ImportReport,
  importFile,
  type ParsedImport,
  planImport,
  readImport,
  readPlainList,
} from "../../../tasks/import-tasks.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { optionalText, textOption } from "../../shell/option-values.ts";
import { plainLine } from "./describe-task.ts";
import { projectWithoutStore } from "./dry-run.ts";
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
    {
      flags: "--bullets",
      description: "add a checkbox to each item of a Markdown file that has none",
    },
  ],
  run: async (session, { args, options }) => {
    const read = async (root: string): Promise<ParsedImport> => {
      const path = relative(root, resolve(session.cwd, textOption(args["file"])));
      const format = optionalText(options["format"]);
      const request = { projectRoot: root, path, ...(format === undefined ? {} : { format }) };
      try {
        return await readImport(request);
      } catch (error) {
        if (!(await addCheckboxes(session, error, { request, wanted: options["bullets"] === true })))
          throw error;
        return readImport(request);
      }
    };
    const newRoot = await projectWithoutStore(session);
    const early = newRoot === undefined ? undefined : await read(newRoot);
    const first = early && (await planImport(early));
    return withProject(session, { create: true, own: true }, async ({ root, db }) => {
      const report = await importFile(db, { ...(early ?? (await read(root))), first }, session.clock.now());
      if (session.json) session.out(storedJson(report));
      else reportImport(session, report);
      session.note(safe`hint: ${await nextStep(db)}`);
    });
  },
};

/**
 * Offers to make a checklist of the plain bullets of a file that has none (TASK-11). Returns false where `error` is another
 * one, or there are no bullets.
 */
async function addCheckboxes(
  session: Session,
  error: unknown,
  { request, wanted }: { readonly request: Parameters<typeof readPlainList>[0]; readonly wanted: boolean },
): Promise<boolean> {
  if (!(error instanceof RalphError) || error.code !== "RALPH_IMPORT_EMPTY") return false;
  const plain = await readPlainList(request);
  if (!plain) return false;
  const items = count(plain.count, "plain item");
  const question = safe`${plainLine(plain.path, 200)} has no checkboxes. Add one to each of its ${items}?`;
  if (!wanted && !(await session.confirm(question, false))) {
    throw new RalphError(error.code, error.message, {
      hint: `run \`ralph task import ${plain.path} --bullets\` to add a checkbox to each of its ${items}`,
    });
  }
  await plain.addCheckboxes();
  session.note(safe`added checkboxes to ${items} in ${plainLine(plain.path, 200)}`);
  return true;
}

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
