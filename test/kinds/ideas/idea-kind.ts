import { newId } from "../../../src/base/ids.ts";
import { safe } from "../../../src/base/safe-text.ts";
import type { PurgePlan } from "../../../src/memory/port/kind-commands.ts";
import type { MaintenanceRequest, MemoryKind, OpenedKind } from "../../../src/memory/port/memory-kind.ts";
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

/** Ideas that an agent states in `<idea>` sigils. Uses every part of the contract but `prefetch` and `captureExtracted`. */
export const ideaKind: MemoryKind = {
  name: "ideas",
  open: openIdeas,
  maintenance: [{ step: "merge", run: mergeIdeas }],
  report: async (q, runId) => {
    const own = (await listIdeas(q)).filter((idea) => idea.runId === runId);
    return { captured: own.length > 0 ? [{ what: label, count: own.length }] : [], helped: [] };
  },
  statistics: async (q) => {
    const ideas = (await listIdeas(q)).length;
    return { json: { ideas }, lines: [`ideas            ${ideas}`] };
  },
  purge: {
    label,
    toJson: ({ erased }) => ({ ideas: erased.map(({ id }) => id) }),
    plan: async (q, { runId }) => planOf((await listIdeas(q)).filter((idea) => idea.runId === runId)),
    erase: async (tx, _, occasion) => planOf(await eraseIdeas(tx, occasion)),
  },
};

function openIdeas(): OpenedKind {
  return {
    name: "ideas",
    instructions: safe`- \`<idea>…</idea>\``,
    capture: async (tx, { outcome: { claims, taskId, runId } }, now) => {
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

async function mergeIdeas({ db, runId, now }: MaintenanceRequest): Promise<void> {
  const archivedAt = now.toISOString();
  const copies = (await repeatedIdeas(db)).map((copy) => ({ ...copy, archivedAt }));
  await db.transaction((tx) => putIdeas(tx, copies, { runId, now }));
}

function planOf(ideas: readonly Idea[]): PurgePlan {
  const erased = ideas.map(({ id, text }) => ({ id, lesson: text }));
  return { count: ideas.length, erased, restored: [] };
}
