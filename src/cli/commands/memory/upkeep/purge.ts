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
  summary: "take memories out for good",
  description:
    "Takes out what a run brought in, or single learnings, with all that was merged from them; a run's failure reports too. It cannot be undone; .ralph/events.jsonl still tells what there was. `remove` only puts away.",
  examples: ["ralph memory purge --run run-3fa9c1e2b7", "ralph memory purge l-3fa9c1 --yes"],
  arguments: [{ name: "[ids...]", description: "learnings" }],
  options: [
    { flags: "--run <id>", description: "all that this run brought in" },
    { flags: "--yes", description: "do not ask" },
    { flags: "--dry-run", description: "only show what would go" },
  ],
  run: async (session, { args, options }) => {
    refuseInsideIteration("purge");
    const ids = listOption(args["ids"]);
    const runId = textOption(options["run"]);
    if ((runId === undefined) === (ids.length === 0)) {
      throw new RalphError("RALPH_USAGE", "say what to purge: ids, or --run ID", {
        hint: "ralph memory purge --help",
      });
    }
    return withLearningActions(session, {}, async (desk, { db }) => {
      const plan = await desk.planPurge(runId === undefined ? { ids } : { runId });
      // Learnings from elsewhere came with runs that are not known here.
      if (runId !== undefined && plan.erased.length === 0 && !(await runById(db, runId))) {
        throw new RalphError("RALPH_RUN_UNKNOWN", `There is no run ${clip(runId, 120)}.`, {
          hint: "`ralph log` shows them",
        });
      }
      const dryRun = options["dryRun"] === true;
      show(session, plan);
      if (!dryRun && options["yes"] !== true) await confirmPurge(session, plan);
      report(session, dryRun ? plan : await desk.purge(plan, runId ?? null), dryRun);
      return 0;
    });
  },
};

const shown = 20;

function show(session: Session, { erased, restored }: Purge): void {
  for (const learning of erased.slice(0, shown)) session.note(`goes: ${labelOf(learning)}`);
  if (erased.length > shown) session.note(`goes: ${erased.length - shown} more`);
  for (const learning of restored.slice(0, shown)) session.note(`comes back: ${labelOf(learning)}`);
}

async function confirmPurge(session: Session, { erased }: Purge): Promise<void> {
  if (await session.confirm(`Purge ${count(erased.length, "learning")} for good?`, false)) return;
  throw new RalphError("RALPH_USAGE", "nothing was purged: it was not confirmed", {
    hint: "--yes purges without asking",
  });
}

function report(session: Session, { erased, restored, failureReports }: Purge, dryRun: boolean): void {
  if (session.json) {
    const [purged, back] = [erased, restored].map((learnings) => learnings.map(({ id }) => id));
    session.out(jsonLine({ success: true, dryRun, purged, restored: back, failureReports }));
    return;
  }
  const what = `${count(erased.length, "learning")}, ${count(failureReports, "failure report")}`;
  session.out(`${dryRun ? "would purge" : "purged"} ${what}; ${restored.length} came back`);
}
