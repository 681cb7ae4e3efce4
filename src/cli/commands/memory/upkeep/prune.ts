import { count } from "../../../../base/text.ts";
import { pruneMemory } from "../../../../memory/maintain-memory.ts";
import { archiveOldMetrics, difficultyOf } from "../../../../strategy/task-metrics.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import { jsonLine } from "../../../shell/json-line.ts";
import { refuseInsideIteration, withLearningActions } from "../input/with-actions.ts";
import { labelOf } from "../view/draw-learning.ts";

/** `ralph memory prune` (LEARN-9). */
export const prune: CommandSpec = {
  name: "prune",
  summary: "put away what is old and unused",
  description:
    "Learnings that are old and were not used lately are put away; attempts and metrics of tasks that were done long ago go to the archive, counted by model, difficulty and day. Every run ends with it; memory.prune.* sets the periods. ralph memory restore brings any of it back.",
  examples: ["ralph memory prune --dry-run", "ralph memory prune"],
  options: [{ flags: "--dry-run", description: "only show what would go" }],
  run: async (session, { options }) => {
    refuseInsideIteration("prune");
    const dryRun = options["dryRun"] === true;
    return withLearningActions(session, {}, async (_, { db, loaded }) => {
      const { prune: periods } = loaded.settings.memory;
      const now = session.clock.now();
      const request = { db, runId: null, now, prune: periods, difficultyOf };
      const { learnings, reports, cleared } = await pruneMemory(request, { dryRun });
      const { metricsMs } = periods;
      const metrics = await archiveOldMetrics(db, { metricsMs, now, dryRun });
      const pruned = { learnings, reports, metrics, cleared };
      if (session.json) session.out(jsonLine({ success: true, dryRun, ...pruned }));
      else {
        for (const learning of pruned.learnings.slice(0, 20))
          session.note(`${dryRun ? "would go" : "put away"}: ${labelOf(learning)}`);
        const parts = [
          count(pruned.learnings.length, "learning"),
          `attempts of ${count(pruned.reports.length, "task")}`,
          `metrics of ${count(pruned.metrics.length, "task")}`,
        ];
        session.out(`${dryRun ? "would put away" : "put away"} ${parts.join(", ")}`);
      }
      return 0;
    });
  },
};
