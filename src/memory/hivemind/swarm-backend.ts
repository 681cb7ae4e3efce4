import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { hasLikeTitle, sharedStems, textQuery } from "../../search/query.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import type { ProjectOrigin, SwarmProgram } from "../port/hivemind-settings.ts";
import type { HivemindBackend } from "./backend.ts";
import type { FoundRecord, RecordSearch } from "./find-records.ts";
import type { StoredMemory } from "./shared-memory.ts";
import { callSwarm, refusedBySwarm } from "./swarm-cli.ts";

/** Results of `swarm` from which tags and the project select: it searches neither. */
const maxCandidates = 50;
const taskCandidates = 10;
/** Words of a weak match that a search in a project ignores. */
const minSharedStems = 2;

/**
 * Keeps the records with the program `swarm` (HIVE-3). It gives them ids of its own, and knows a record's project only as
 * its last tag: two projects with one name do not read each other's records.
 */
export function swarmBackend(swarm: SwarmProgram, project: () => Promise<ProjectOrigin>): HivemindBackend {
  /** Returns the answer of a call; null: `swarm` does not know the record. */
  const call = async (args: readonly string[], deadlineMs: number): Promise<JsonObject | null> => {
    const answer = await callSwarm(swarm, { args, deadlineMs });
    if (answer["success"] === true) return answer;
    if (/not found/i.test(String(answer["error"]))) return null;
    throw refusedBySwarm(answer);
  };
  const get = async (id: string, deadlineMs: number): Promise<readonly StoredMemory[]> => {
    const answer = await call(["get", positional(id)], deadlineMs);
    return recordsIn([answer?.["memory"] ?? null], await project());
  };
  const search = async (text: string, limit: number, deadlineMs: number): Promise<readonly FoundRecord[]> => {
    const answer = await call(["find", positional(text), "--limit", `${limit}`], deadlineMs);
    const results = Array.isArray(answer?.["results"]) ? answer["results"] : [];
    const origin = await project();
    return results.flatMap((result): readonly FoundRecord[] => {
      if (!isObject(result)) return [];
      const score = typeof result["score"] === "number" ? result["score"] : 0;
      return recordsIn([result["memory"] ?? null], origin).map((memory) => ({ memory, score, parts: {} }));
    });
  };
  return {
    put: async (memories, deadlineMs) => {
      const ids: string[] = [];
      for (const { content, tags } of memories) {
        const args = ["store", positional(content), ...(tags.length > 0 ? ["--tags", tags.join(",")] : [])];
        const stored = await call(args, deadlineMs);
        if (stored === null) throw refusedBySwarm({ error: "it did not store the record" });
        ids.push(String(stored["id"] ?? ""));
      }
      return ids;
    },
    remove: async (ids, deadlineMs) => {
      let removed = 0;
      for (const id of ids) {
        if ((await get(id, deadlineMs)).length === 0) continue;
        if (await call(["remove", positional(id)], deadlineMs)) removed += 1;
      }
      return removed;
    },
    get: async (ids, deadlineMs) => {
      const found: StoredMemory[] = [];
      for (const id of ids) for (const one of await get(id, deadlineMs)) found.push(one);
      return found;
    },
    find: async (request, deadlineMs) => {
      const { text, tags, limit } = request;
      const asked = text || tags.join(" ") || "ralph";
      const candidates = await search(asked, Math.max(limit, maxCandidates), deadlineMs);
      return candidates.filter((one) => isWanted(one, request)).slice(0, limit);
    },
    forTask: async ({ title }, { own }, deadlineMs) => {
      const candidates = await search(title, taskCandidates, deadlineMs);
      return candidates
        .filter(({ memory }) => memory.project !== own && hasLikeTitle(memory.title || memory.content, title))
        .map(({ memory, score }) => ({ memory, score, sameError: false }));
    },
    refresh: async (id, _, deadlineMs) => (await call(["validate", positional(id)], deadlineMs)) !== null,
    count: async (deadlineMs) => {
      const stats = (await call(["stats"], deadlineMs))?.["stats"];
      const memories = isObject(stats) ? stats["memories"] : null;
      return { records: typeof memories === "number" ? memories : 0, projects: null };
    },
  };
}

/** Returns an argument that `swarm` does not read as an option. */
function positional(text: string): string {
  return text.startsWith("-") ? ` ${text}` : text;
}

function isWanted({ memory }: FoundRecord, { text, tags, abstain }: RecordSearch): boolean {
  const own = memory.tags.map((tag) => tag.toLowerCase());
  if (!tags.every((tag) => own.includes(tag.toLowerCase()))) return false;
  if (!abstain || text === "") return true;
  const query = textQuery(text);
  const shared = (body: string): number => sharedStems(query, { title: "", body, tags: [] });
  return shared(memory.content) >= Math.min(minSharedStems, shared(text));
}

/** Returns memories of `swarm` as records. Their texts are those of any program: without secrets from here on. */
function recordsIn(memories: readonly JsonValue[], origin: ProjectOrigin): readonly StoredMemory[] {
  return memories.flatMap((memory) =>
    isObject(memory) && typeof memory["id"] === "string" ? recordOf(memory, memory["id"], origin) : [],
  );
}

function recordOf(memory: JsonObject, id: string, origin: ProjectOrigin): StoredMemory {
  const content = safeText(String(memory["content"] ?? ""));
  const tags = tagsOf(memory["metadata"]);
  const name = tags[0] === "ralph" && tags.length > 2 ? (tags.at(-1) ?? "") : "";
  const at = timeOf(memory["createdAt"]);
  return {
    id: safeLine(id, 80),
    type: tags.includes("failure") ? "failure" : /^Ralph completed/.test(content) ? "success" : "learning",
    title: /^Ralph (?:completed|failure \[[^\]]*\]): (.*?)\. Files: /s.exec(content)?.[1] ?? "",
    content,
    tags,
    project: name === origin.name ? origin.id : name && `name:${name}`,
    projectName: name,
    signature: null,
    createdAt: at,
    updatedAt: at,
  };
}

function tagsOf(metadata: JsonValue | undefined): readonly string[] {
  const tags = isObject(metadata) ? metadata["tags"] : undefined;
  return Array.isArray(tags) ? tags.map((tag) => safeLine(String(tag), 120)) : [];
}

/** Returns a time as ISO 8601; the beginning of 1970 for an unreadable one. */
function timeOf(given: JsonValue | undefined): string {
  const at = new Date(typeof given === "string" || typeof given === "number" ? given : 0);
  return new Date(Number.isNaN(at.getTime()) ? 0 : at).toISOString();
}
