import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";
import { countRecords } from "./hivemind-records.ts";
import { collectionOption, memoryActions, withCollection } from "./with-collection.ts";

/** `ralph memory stats`. */
export const command: CommandSpec = {
  examples: ["ralph memory stats --json"],
  options: [collectionOption],
  run: (session, { args, options }) =>
    withCollection(
      session,
      { args, options },
      {
        hivemind: (records) => countRecords(session, records),
        project: async (project) => {
          const kinds = await memoryActions(session, project).statistics();
          const json: Record<string, unknown> = Object.assign({}, ...kinds.map((kind) => kind.json));
          // As `swarm memory stats` prints them.
          const stats = { memories: json["memories"] ?? 0, embeddings: 0 };
          printResult(
            session,
            { success: true, stats, ...json },
            storedText(kinds.flatMap(({ lines }) => lines).join("\n")),
          );
        },
      },
    ),
};
