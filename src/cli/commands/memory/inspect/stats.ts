import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import { withMemoryActions } from "../input/with-actions.ts";

/** `ralph memory stats`. */
export const stats: CommandSpec = {
  name: "stats",
  summary: "count learnings and failure reports",
  examples: ["ralph memory stats --json"],
  run: (session) =>
    withMemoryActions(session, async (actions) => {
      const kinds = await actions.statistics();
      const json = Object.assign({}, ...kinds.map((kind) => kind.json)) as object;
      if (session.json) session.out(storedJson({ success: true, ...json }));
      else session.out(storedText(kinds.flatMap(({ lines }) => lines).join("\n")));
      return 0;
    }),
};
