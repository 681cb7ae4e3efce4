import { RalphError } from "../../../../base/errors.ts";
import { decimal, joinSafe, type SafeText, safe } from "../../../../base/safe-text.ts";
import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import {
  collectionOption,
  listOption,
  numberOption,
  scopeOption,
  textOption,
  withMemoryActions,
} from "../input/with-actions.ts";
import { plain } from "../view/render-memory.ts";

/** `ralph memory find`. */
export const find: CommandSpec = {
  name: "find",
  summary: "search learnings",
  description:
    "Finds learnings by words, parts of identifiers and paths, the best match first. Searching does not count as use.",
  examples: ['ralph memory find "leap day parser"', "ralph memory find tokenStore --limit 3 --json"],
  arguments: [{ name: "<query...>", description: "words to search for" }],
  options: [
    { flags: "--limit <n>", description: "maximum number of results (default: 10)" },
    { flags: "--tags <tags>", description: "only learnings with all of these tags" },
    collectionOption,
    { flags: "--explain", description: "show the parts of each score" },
  ],
  run: async (session, { args, options }) => {
    const words = args["query"];
    const text = typeof words === "string" ? words : (words ?? []).join(" ");
    if (text.trim() === "") {
      throw new RalphError("RALPH_USAGE", "the query is empty", {
        hint: "run `ralph memory list` to see all learnings",
      });
    }
    const limit = numberOption(options["limit"], "--limit", 10);
    const scope = scopeOption(options["collection"]);
    const tags = listOption(options["tags"]);
    return withMemoryActions(session, async (actions) => {
      const { found, problem } = await actions.find({ text, limit, scope, tags });
      if (problem !== null) session.note(safe`warning: not ranked by meaning: ${storedText(problem)}`);
      if (session.json) {
        const results = found.map(({ json: memory, score, parts, place }) => ({
          memory,
          score,
          matchType: place === null ? "fts" : "hybrid",
          parts,
        }));
        session.out(storedJson({ success: true, results }));
        return 0;
      }
      for (const { id, line, score, parts, place } of found) {
        session.out(safe`[${storedText(id)}] ${decimal(score, 2)}  ${plain(line, 400)}`);
        if (options["explain"] === true) session.out(safe`    ${partsLine(parts, place)}`);
      }
      if (found.length === 0)
        session.note(safe`no learnings found for ${storedText(JSON.stringify(textOption(text)))}`);
      return 0;
    });
  },
};

function partsLine(parts: Readonly<Record<string, number>>, place: number | null): SafeText {
  const large = Object.entries(parts).filter(([, value]) => Math.abs(value) >= 0.005);
  const words =
    joinSafe(
      large.map(([name, value]) => safe`${storedText(name)} ${decimal(value, 2)}`),
      " · ",
    ) || safe`newest`;
  return place === null ? words : safe`${words} · rank ${place} by meaning`;
}
