import { RalphError } from "../../../../base/errors.ts";
import { clip, count } from "../../../../base/text.ts";
import { runById } from "../../../../loop/run-store.ts";
import type { Purge } from "../../../../memory/learning-actions.ts";
import type { CommandSpec, Session } from "../../../shell/command.ts";
import { jsonLine } from "../../../shell/json-line.ts";
import { listOption, refuseInsideIteration, textOption, withLearningActions } from "../input/with-actions.ts";
import { labelOf } from "../view/draw-learning.ts";

/** `ralph memory purge` (TRUST-4). */
export const purge: CommandSpec = {
  name: "purge",
  summary: "permanently delete learnings",
  description:
    "Permanently deletes learnings, or everything that a run stored, including learnings merged from them and the run's failure reports. Cannot be undone; .ralph/events.jsonl still contains the text. To archive instead, use `ralph memory remove`.",
  examples: ["ralph memory purge --run run-3fa9c1e2b7", "ralph memory purge l-3fa9c1 --yes"],
  arguments: [{ name: "[ids...]", description: "learnings" }],
  options: [
    { flags: "--run <id>", description: "delete everything that this run stored" },
    { flags: "--yes", description: "do not ask for confirmation" },
    { flags: "--dry-run", description: "only show what would be deleted" },
  ],
  run: async (session, { args, options }) => {
    refuseInsideIteration("purge");
    const ids = listOption(args["ids"]);
    const runId = textOption(options["run"]);
    if ((runId === undefined) === (ids.length === 0)) {
      throw new RalphError("RALPH_USAGE", "nothing to purge: give either ids or --run", {
        hint: "run `ralph memory purge --help` for examples",
      });
    }
    return withLearningActions(session, {}, async (actions, { db }) => {
      const plan = await actions.planPurge(runId === undefined ? { ids } : { runId });
      // Imported learnings name runs that this store does not know.
      if (runId !== undefined && plan.erased.length === 0 && !(await runById(db, runId))) {
        throw new RalphError("RALPH_RUN_UNKNOWN", `run not found: ${clip(runId, 120)}`, {
          hint: "run `ralph log` to list the runs",
        });
      }
      const dryRun = options["dryRun"] === true;
      show(session, plan);
      if (!dryRun && options["yes"] !== true) await confirmPurge(session, plan);
      report(session, dryRun ? plan : await actions.purge(plan, runId ?? null), dryRun);
      return 0;
    });
  },
};

const shown = 20;

function show(session: Session, { erased, restored }: Purge): void {
  for (const learning of erased.slice(0, shown)) session.note(`delete: ${labelOf(learning)}`);
  if (erased.length > shown) session.note(`delete: ${erased.length - shown} more`);
  for (const learning of restored.slice(0, shown)) session.note(`restore: ${labelOf(learning)}`);
}

async function confirmPurge(session: Session, { erased }: Purge): Promise<void> {
  if (await session.confirm(`Permanently delete ${count(erased.length, "learning")}?`, false)) return;
  throw new RalphError("RALPH_USAGE", "nothing was purged: not confirmed", {
    hint: "use --yes to purge without confirmation",
  });
}

function report(session: Session, { erased, restored, others }: Purge, dryRun: boolean): void {
  const countOf = (label: string): number => others.find((one) => one.label === label)?.count ?? 0;
  const failureReports = countOf("failure report");
  if (session.json) {
    const [purged, back] = [erased, restored].map((learnings) => learnings.map(({ id }) => id));
    session.out(
      jsonLine({ success: true, dryRun, purged, restored: back, failureReports, notes: countOf("note") }),
    );
    return;
  }
  const named = others.map((one) => count(one.count, one.label));
  const what = [count(erased.length, "learning"), ...named].join(", ");
  session.out(`${dryRun ? "would purge" : "purged"} ${what}; ${restored.length} restored`);
}
