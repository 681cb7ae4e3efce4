import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { pruneMemory } from "../../../memory/maintain-memory.ts";
import { deleteOldMetrics, difficultyOf } from "../../../strategy/task-metrics.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { labelOf } from "./render-memory.ts";
import { learningActions } from "./with-collection.ts";

/** `ralph memory prune` (LEARN-9). */
export const command: CommandSpec = {
  description:
    "Archives learnings that are old and were not used recently (undo: `ralph memory restore`), and deletes attempts and metrics of tasks finished long ago; sums by model, difficulty and day remain. Every run ends with this; memory.prune.* sets the periods.",
  examples: ["ralph memory prune --dry-run", "ralph memory prune"],
  options: [{ flags: "--dry-run", description: "only show what would be archived or deleted" }],
  run: inProject(async (session, { db, loaded }, { options }) => {
    const dryRun = options["dryRun"] === true;
    const { prune: periods } = loaded.settings.memory;
    const now = session.clock.now();
    const request = { db, runId: null, now, prune: periods, difficultyOf };
    const { learnings, reports } = await pruneMemory(request, { dryRun });
    const { metricsMs } = periods;
    const metrics = await deleteOldMetrics(db, { metricsMs, now, dryRun });
    if (session.json) {
      session.out(storedJson({ success: true, dryRun, learnings, reports, metrics }));
      return;
    }
    for (const memory of learnings.slice(0, 20))
      session.note(safe`${dryRun ? "would archive" : "archived"}: ${labelOf(memory)}`);
    const deleted = safe`attempts of ${count(reports.length, "task")}, metrics of ${count(metrics.length, "task")}`;
    session.out(safe`${dryRun ? "would archive" : "archived"} ${count(learnings.length, "learning")}`);
    session.out(safe`${dryRun ? "would delete" : "deleted"} ${deleted}`);
  }),
};

/** `ralph memory summarize` (LEARN-8). */
export const summarize: CommandSpec = {
  description:
    "Merges learnings of one category that share half of their tags; the newest stays as it is. Uses no model. Runs do this automatically above memory.summarizeAbove learnings. Restore a merged learning with `ralph memory restore`.",
  examples: ["ralph memory summarize --dry-run", "ralph memory summarize"],
  options: [{ flags: "--dry-run", description: "only show what would be merged" }],
  run: inProject(async (session, project, { options }) => {
    const dryRun = options["dryRun"] === true;
    const actions = learningActions(session, project);
    const merges = await actions.summarize({ dryRun });
    if (session.json) session.out(storedJson({ success: true, dryRun, merges }));
    else {
      for (const { id, from, lesson } of merges.slice(0, 20)) {
        session.out(
          safe`${id === null ? "would merge" : storedText(id)}  ${storedText(from.join(" + "))}: ${storedLine(lesson, 120)}`,
        );
      }
      session.out(safe`${dryRun ? "would merge" : "merged"} ${count(merges.length, "group")}`);
    }
  }),
};
