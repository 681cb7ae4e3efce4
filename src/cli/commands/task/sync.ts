import { safe } from "../../../base/safe-text.ts";
import { compareLists, type ListSync, syncLists } from "../../../tasks/import-tasks.ts";
import { storedJson, storedLine } from "../../../trust/stored-text.ts";
import { changeLines, summarizeChanges } from "../../../ui/list-changes.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task sync` (TASK-10). */
export const command: CommandSpec = {
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
