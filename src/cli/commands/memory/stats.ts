import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { printResult } from "../../shell/io.ts";
import { countRecords } from "./hivemind-records.ts";
import { collectionOption, inCollection, memoryActions } from "./with-collection.ts";

/** `ralph memory stats`. */
export const command: CommandSpec = {
  examples: ["ralph memory stats --json"],
  options: [collectionOption],
  run: inCollection({
    hivemind: countRecords,
    project: async (session, project) => {
      const kinds = await memoryActions(session, project).statistics();
      const json: Record<string, unknown> = Object.assign({}, ...kinds.map((kind) => kind.json));
      // As `swarm memory stats` prints them.
      const stats = { memories: json["memories"] ?? 0, embeddings: 0 };
      const text = storedText(kinds.flatMap(({ lines }) => lines).join("\n"));
      printResult(session, { success: true, stats, ...json }, text);
    },
  }),
};
