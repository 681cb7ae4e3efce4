import { countReports } from "../../../../memory/read-failures.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import { jsonLine } from "../../../shell/json-line.ts";
import { withLearningActions } from "../input/with-actions.ts";

/** `ralph memory stats`. */
export const stats: CommandSpec = {
  name: "stats",
  summary: "count learnings and failure reports",
  examples: ["ralph memory stats --json"],
  run: (session) =>
    withLearningActions(session, {}, async (actions, { db }) => {
      const byStatus = await actions.counts();
      const total = Object.values(byStatus).reduce((sum, n) => sum + n, 0);
      const failureReports = await countReports(db);
      const usable = byStatus.active + byStatus.stale;
      if (session.json) {
        session.out(
          jsonLine({ success: true, memories: total, embeddings: 0, usable, byStatus, failureReports }),
        );
        return 0;
      }
      session.out(`learnings        ${total} (${usable} available for prompts)`);
      for (const [status, n] of Object.entries(byStatus))
        if (n > 0) session.out(`  ${status.padEnd(14)} ${n}`);
      session.out(`failure reports  ${failureReports}`);
      return 0;
    }),
};
