import { decimal, joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { positiveInteger, textOptions, usageError } from "../../shell/io.ts";
import { recordLine } from "./hivemind-records.ts";
import {
  collectionOption,
  memoryActions,
  scopeOption,
  tagsOption,
  withCollection,
} from "./with-collection.ts";

/** `ralph memory find`. */
export const command: CommandSpec = {
  description:
    "Finds learnings and failure reports by words, parts of identifiers and paths, the best match first, and records of the hivemind that fit well. Tags separated by commas find what has all of them. Searching does not count as use.",
  examples: [
    'ralph memory find "leap day parser"',
    "ralph memory find ralph,failure",
    "ralph memory find tokenStore --limit 3 --json",
    "ralph memory find timeout --collection hivemind",
  ],
  arguments: [{ name: "<query...>", description: "words to search for" }],
  options: [
    { flags: "--limit <n>", description: "maximum number of results (default: 10)" },
    { flags: "--tags <tags>", description: "only memories with all of these tags" },
    collectionOption,
    { flags: "--explain", description: "show the parts of each score" },
  ],
  run: async (session, invocation) => {
    const { args, options } = invocation;
    const text = textOptions(args["query"]).join(" ");
    if (text.trim() === "") {
      throw usageError("the query is empty", "run `ralph memory list` to see all learnings");
    }
    const limit = positiveInteger(options["limit"], "--limit") ?? 10;
    const words = { text, limit, tags: tagsOption(options["tags"]) };
    const isExplained = options["explain"] === true;
    return withCollection(session, invocation, {
      hivemind: async (_, records) => {
        const results = (await records.find(words)).map(({ record, ...rest }) => {
          return { id: record.id, line: recordLine(record), json: records.toJson(record), ...rest };
        });
        print(session, results, isExplained);
        if (results.length === 0 && !session.json)
          session.note(safe`the hivemind has no records for ${storedLine(text, 400)}`);
      },
      project: async (_, project) => {
        const scope = scopeOption(options["collection"]);
        const { found, problem } = await memoryActions(session, project).find({ ...words, scope });
        if (problem !== null) session.note(safe`warning: ${storedText(problem)}`);
        print(session, found, isExplained);
        if (found.length === 0 && !session.json)
          session.note(safe`no learnings found for ${storedText(JSON.stringify(text))}`);
      },
    });
  },
};

interface Found {
  readonly id: string;
  readonly line: string;
  readonly json: object;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

function print(session: Session, found: readonly Found[], isExplained: boolean): void {
  if (session.json) {
    const results = found.map(({ json, score, parts }) => ({ memory: json, score, matchType: "fts", parts }));
    session.out(storedJson({ success: true, results }));
    return;
  }
  for (const { id, line, score, parts } of found) {
    session.out(safe`[${storedText(id)}] ${decimal(score, 2)}  ${storedLine(line, 500)}`);
    if (isExplained) session.out(safe`    ${partsLine(parts)}`);
  }
}

function partsLine(parts: Readonly<Record<string, number>>): SafeText {
  const large = Object.entries(parts).filter(([, value]) => Math.abs(value) >= 0.005);
  return (
    joinSafe(
      large.map(([name, value]) => safe`${storedText(name)} ${decimal(value, 2)}`),
      " · ",
    ) || safe`newest`
  );
}
