import { safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import { taskDiff } from "../../loop/task-diff.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { redactedText, safeJson, safeText } from "../../trust/safe-text.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import { type CommandSpec, inProject } from "../shell/command.ts";

/** `ralph diff TASK`: what a task changed (UX-3). */
export const command: CommandSpec = {
  description:
    "Prints the task's commits as unified diffs, then its unfinished work: what a running agent has changed so far, or what a failed attempt left, in the tree or salvaged. Secrets are replaced by [redacted:kind]; a diff that holds one cannot be applied.",
  examples: ["ralph diff t-3fa9c1", "ralph diff t-3fa9c1 | git apply -R"],
  arguments: [{ name: "<task>", description: "the task's id" }],
  run: inProject(async (session, project, { args }) => {
    const { id } = await requireTask(project.db, String(args["task"]));
    const { learnings, scope } = project.loaded.settings;
    const options = { recordsDir: learnings.dir, scope };
    const workspace = await openWorkspace(project.root, childEnvironment(), options);
    const { commits, uncommitted, salvaged } = await taskDiff({ db: project.db, workspace }, id);
    if (session.json) session.out(safeJson({ id, commits, uncommitted, salvaged }));
    else {
      const text = [...commits.map((one) => one.diff), uncommitted ?? "", salvaged?.diff ?? ""].join("");
      if (salvaged) session.note(safe`unfinished work, not in the tree: ${safeText(salvaged.ref)}`);
      if (text === "") session.note("no changes: the task has no commit and no unfinished work");
      else session.outFile(redactedText(text).trimEnd());
    }
  }),
};
