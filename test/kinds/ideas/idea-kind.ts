import { newId } from "../../../src/base/ids.ts";
import { safe } from "../../../src/base/safe-text.ts";
import type {
  ChangeRequest,
  Merge,
  NamedMemory,
  PruneRequest,
  PurgePlan,
} from "../../../src/memory/port/kind-commands.ts";
import type { MemoryKind, OpenedKind } from "../../../src/memory/port/memory-kind.ts";
import type { MemorySigils } from "../../../src/outcome/outcome.ts";
import { safeLine } from "../../../src/trust/safe-text.ts";
import { eraseIdeas, putIdeas, repeatedIdeas } from "./idea-store.ts";
import { type Idea, listIdeas } from "./read-ideas.ts";

const label = "idea";
const maxChars = 200;

/** The field that step "a new sigil" of docs/adding/memory-kind.md adds to `MemorySigils`. */
interface SigilsWithIdeas extends MemorySigils {
  readonly ideas: readonly string[];
}

/**
 * Ideas that an agent states in `<idea>` sigils. Uses every part of the contract but `archive`, `trialOf`, `prefetch` and
 * `captureExtracted`.
 */
export const ideaKind: MemoryKind = {
  name: "ideas",
  open: openIdeas,
  maintenance: [
    { step: "merge", run: async (request) => void (await mergeIdeas(request, {})) },
    { step: "archive", run: async (request) => void (await pruneIdeas(request, { limit: 100 })) },
  ],
  reset: async (tx, taskId, now) => {
    const own = (await listIdeas(tx)).filter((idea) => idea.taskId === taskId);
    const unshown = own.map((idea) => ({ ...idea, timesShown: 0 }));
    await putIdeas(tx, unshown, { runId: null, now });
  },
  report: async (q, runId) => {
    const own = (await listIdeas(q)).filter((idea) => idea.runId === runId);
    return { captured: own.length > 0 ? [{ what: label, count: own.length }] : [], helped: [] };
  },
  statistics: async (q) => {
    const ideas = (await listIdeas(q)).length;
    return { json: { ideas }, lines: [`ideas            ${ideas}`] };
  },
  export: {
    label,
    field: "ideas",
    lines: async function* (q) {
      for (const idea of await listIdeas(q)) yield JSON.stringify({ idea });
    },
  },
  purge: {
    label,
    toJson: ({ erased }) => ({ ideas: erased.map(({ id }) => id) }),
    planRun: async (q, runId) => planOf((await listIdeas(q)).filter((idea) => idea.runId === runId)),
    byId: {
      owns: async (q, id) => (await listIdeas(q)).some((idea) => idea.id === id),
      plan: async (q, ids) => planOf((await listIdeas(q)).filter(({ id }) => ids.includes(id))),
    },
    erase: async (tx, { erased }, occasion) => {
      const ids = erased.map(({ id }) => id);
      return planOf(await eraseIdeas(tx, ids, occasion));
    },
  },
  prune: { label, field: "ideas", run: pruneIdeas },
  summarize: mergeIdeas,
};

function openIdeas(): OpenedKind {
  return {
    name: "ideas",
    instructions: safe`- \`<idea>…</idea>\``,
    capture: async (tx, { claims, taskId, runId }, now) => {
      const stated = claims.memory as SigilsWithIdeas;
      const ideas = stated.ideas.map((idea): Idea => {
        const text = safeLine(idea, maxChars);
        const createdAt = now.toISOString();
        return { id: newId("idea", 4), text, taskId, runId, createdAt, timesShown: 0, archivedAt: null };
      });
      await putIdeas(tx, ideas, { runId, now });
    },
    recall: async (q) => {
      const active = (await listIdeas(q)).filter(({ archivedAt }) => archivedAt === null);
      if (active.length === 0) return [];
      const items = active.map(({ id, text }) => {
        return {
          id,
          text: safe`- ${safeLine(text)}`,
          short: safe``,
          score: 1,
          reason: "an idea of this project",
        };
      });
      return [
        { section: "ideas", heading: safe`### Ideas`, lead: safe``, items, tail: safe``, drop: "last" },
      ];
    },
    recordShown: async (tx, { items, runId }, now) => {
      const shown = items.flatMap(({ section, id }) => (section === "ideas" ? [id] : []));
      const ideas = (await listIdeas(tx)).filter(({ id }) => shown.includes(id));
      const counted = ideas.map((idea) => ({ ...idea, timesShown: idea.timesShown + 1 }));
      await putIdeas(tx, counted, { runId, now });
    },
  };
}

async function mergeIdeas(
  { db, runId, now }: ChangeRequest,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<readonly Merge[]> {
  const repeated = await repeatedIdeas(db);
  const archivedAt = now.toISOString();
  const copies = repeated.map(([, copy]) => ({ ...copy, archivedAt }));
  if (!dryRun) await db.transaction((tx) => putIdeas(tx, copies, { runId, now }));
  return repeated.map(([older, { id }]) => ({
    id: older.id,
    from: [id],
    kept: older.id,
    lesson: older.text,
  }));
}

async function pruneIdeas(
  { db, runId, now, prune }: PruneRequest,
  { limit, dryRun = false }: { readonly limit: number; readonly dryRun?: boolean },
): Promise<readonly NamedMemory[]> {
  const before = new Date(now.getTime() - prune.learningsMs).toISOString();
  const old = (await listIdeas(db)).filter(({ createdAt, archivedAt }) => !archivedAt && createdAt < before);
  const archived = old.slice(0, limit).map((idea) => ({ ...idea, archivedAt: now.toISOString() }));
  if (!dryRun) await db.transaction((tx) => putIdeas(tx, archived, { runId, now }));
  return archived.map(named);
}

function planOf(ideas: readonly Idea[]): PurgePlan {
  return { count: ideas.length, erased: ideas.map(named), restored: [] };
}

function named({ id, text }: Idea): NamedMemory {
  return { id, lesson: text };
}
