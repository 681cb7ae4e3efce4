import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { withLearningActions } from "./open-memory.ts";
import { plain } from "./render-memory.ts";

/** `ralph memory summarize` (LEARN-8). */
export const command: CommandSpec = {
  description:
    "Merges learnings of one category that share half of their tags; the newest stays as it is. Uses no model. Runs do this automatically above memory.summarizeAbove learnings. Restore a merged learning with `ralph memory restore`.",
  examples: ["ralph memory summarize --dry-run", "ralph memory summarize"],
  options: [{ flags: "--dry-run", description: "only show what would be merged" }],
  run: async (session, { options }) => {
    const dryRun = options["dryRun"] === true;
    return withLearningActions(session, {}, async (actions) => {
      const merges = await actions.summarize({ dryRun });
      if (session.json) session.out(storedJson({ success: true, dryRun, merges }));
      else {
        for (const { id, from, lesson } of merges.slice(0, 20)) {
          session.out(
            safe`${id === null ? "would merge" : storedText(id)}  ${storedText(from.join(" + "))}: ${plain(lesson, 120)}`,
          );
        }
        session.out(safe`${dryRun ? "would merge" : "merged"} ${count(merges.length, "group")}`);
      }
    });
  },
};
