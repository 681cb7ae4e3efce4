import type { JsonObject, JsonValue } from "../../base/json.ts";
import { clipCopy } from "../../base/text.ts";

/** The denied requests of a session, from its events and its result. */
interface Denials {
  /** Takes a `tool_use` block: the request, in case it is denied. */
  use(block: JsonObject): void;
  /** Takes a `permission_denied` event, which names the tool but not its input. */
  deny(event: JsonObject): void;
  /** Takes a result's own list, which is complete for the turn that it ends. */
  settle(denials: readonly JsonObject[]): void;
  /** Returns each denial once, in the form of a permission rule: `Bash(npm install)`. */
  list(): readonly string[];
}

const maxDenials = 20;
/** More than is shown, and little enough to keep for each pending tool. */
const maxRuleChars = 16 * 1024;
const maxIdChars = 200;
/** Denials come right after the request; a long session asks for thousands of tools. */
const maxPendingTools = 200;

export function claudeDenials(): Denials {
  const asked = new Map<string, string>();
  let settled: readonly string[] = [];
  let denied = new Set<string>();
  return {
    use(block) {
      const { id, name, input } = block;
      if (typeof id !== "string") return;
      asked.set(clipCopy(id, maxIdChars), ruleOf(name, input));
      for (const oldest of asked.keys()) {
        if (asked.size <= maxPendingTools) break;
        asked.delete(oldest);
      }
    },
    deny(event) {
      const id = event["tool_use_id"];
      if (denied.size >= maxDenials) return;
      const use = typeof id === "string" ? asked.get(clipCopy(id, maxIdChars)) : undefined;
      denied.add(use ?? ruleOf(event["tool_name"], {}));
    },
    settle(denials) {
      const rules = denials.map((denial) => ruleOf(denial["tool_name"], denial["tool_input"]));
      if (rules.length > 0) denied = new Set([...new Set([...settled, ...rules])].slice(0, maxDenials));
      settled = [...denied];
    },
    list: () => [...denied],
  };
}

function ruleOf(name: JsonValue | undefined, input: JsonValue | undefined): string {
  const tool = typeof name === "string" ? name : "a tool";
  const action = toolInput(input);
  return clipCopy(action === null ? tool : `${tool}(${action})`, maxRuleChars);
}

/** Returns the most informative part of a tool's input: its command, file or pattern. */
export function toolInput(input: JsonValue | undefined): string | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const values = input as JsonObject;
  const main = ["command", "file_path", "path", "pattern", "url", "query", "skill", "description", "prompt"]
    .map((key) => values[key])
    .find((value) => typeof value === "string");
  return typeof main === "string" ? main : null;
}
