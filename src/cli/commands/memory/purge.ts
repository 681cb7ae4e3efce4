import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { Purge } from "../../../memory/memory-actions.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { requireRun } from "../../project/require-run.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { optionalText, usageError } from "../../shell/io.ts";
import { labelOf } from "./render-memory.ts";
import { listOption, memoryActions } from "./with-collection.ts";

/** `ralph memory purge` (TRUST-4). */
export const command: CommandSpec = {
  description:
    "Permanently deletes learnings, or everything that a run stored, including learnings merged from them, and the run's failure reports, notes, records and reasons of failed attempts. Cannot be undone; .ralph/events.jsonl, .ralph/logs and messages of commits still contain the text. To archive instead, use `ralph memory remove`.",
  examples: ["ralph memory purge --run run-3fa9c1e2b7", "ralph memory purge l-3fa9c1 --yes"],
  arguments: [{ name: "[ids...]", description: "learnings" }],
  options: [
    { flags: "--run <id>", description: "delete everything that this run stored" },
    { flags: "--yes", description: "do not ask for confirmation" },
    { flags: "--dry-run", description: "only show what would be deleted" },
  ],
  run: async (session, { args, options }) => {
    const ids = listOption(args["ids"]);
    const runId = optionalText(options["run"]);
    if ((runId === undefined) === (ids.length === 0)) {
      throw usageError(
        "nothing to purge: give either ids or --run",
        "run `ralph memory purge --help` for examples",
      );
    }
    return withProject(session, {}, async (project) => {
      const actions = memoryActions(session, project);
      const { db } = project;
      const plan = await actions.planPurge({ ids, runId: runId ?? null });
      // Imported learnings name runs that this store does not know.
      if (runId !== undefined && plan.parts.every((part) => part.count === 0)) await requireRun(db, runId);
      const dryRun = options["dryRun"] === true;
      show(session, plan);
      if (!dryRun && options["yes"] !== true) await confirmPurge(session, plan);
      report(session, dryRun ? plan : await actions.purge(plan), dryRun);
    });
  },
};

const shown = 20;

function show(session: Session, { parts }: Purge): void {
  for (const { erased, restored } of parts) {
    for (const memory of erased.slice(0, shown)) session.note(safe`delete: ${labelOf(memory)}`);
    if (erased.length > shown) session.note(safe`delete: ${erased.length - shown} more`);
    for (const memory of restored.slice(0, shown)) session.note(safe`restore: ${labelOf(memory)}`);
  }
}

async function confirmPurge(session: Session, { parts }: Purge): Promise<void> {
  const named = counted(parts.filter(({ isNamed }) => isNamed));
  if (await session.confirm(safe`Permanently delete ${named}?`, false)) return;
  throw usageError("nothing was purged: not confirmed", "use --yes to purge without confirmation");
}

function report(session: Session, { target, parts }: Purge, dryRun: boolean): void {
  if (session.json) {
    const json = Object.assign({}, ...parts.map((part) => part.json)) as object;
    session.out(storedJson({ success: true, dryRun, ...json }));
    return;
  }
  const what = counted(target.runId !== null ? parts : parts.filter(({ isNamed }) => isNamed));
  const restored = parts.reduce((sum, part) => sum + part.restored.length, 0);
  session.out(safe`${dryRun ? "would purge" : "purged"} ${what}; ${restored} restored`);
}

/** `3 learnings, 1 failure report`. */
function counted(parts: Purge["parts"]): SafeText {
  return storedText(parts.map((part) => count(part.count, part.label)).join(", "));
}
