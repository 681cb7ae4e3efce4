import { safe } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/port/db.ts";
import { safeText } from "../../trust/safe-text.ts";
import { counted } from "../port/kind-commands.ts";
import type { KindSetup, MemoryKind, OpenedKind, ShownMemory } from "../port/memory-kind.ts";
import { retirementStep } from "./propose-retirement.ts";
import { bodyItem, recallSkills } from "./recall-skills.ts";
import type { SkillUse } from "./store/skill.ts";
import {
  countShownSkills,
  countSkillUses,
  eraseSkillUses,
  insertSkillUses,
  settleSkillUses,
} from "./store/skill-use-store.ts";

const section = "skills";

/** The skills of the project's folders: shown where they fit a task, and measured (SKILL-4, SKILL-5). */
export const skillKind: MemoryKind = {
  name: section,
  open: openSkills,
  maintenance: [retirementStep],
  report: async (q, runId) => {
    const count = await countShownSkills(q, runId);
    return { captured: [], shown: count > 0 ? [{ what: "skill", count }] : [], helped: [] };
  },
  purge: {
    label: "skill use",
    toJson: ({ count }) => ({ skillUses: count }),
    plan: async (q, { runId }) => counted(runId === null ? 0 : await countSkillUses(q, runId)),
    erase: async (tx, _, { runId }) => counted(runId === null ? 0 : await eraseSkillUses(tx, runId)),
  },
};

function openSkills({ root, skills: settings, holdout, now }: KindSetup): OpenedKind {
  return {
    name: section,
    instructions: safe``,
    capture: (tx, outcome) => settleSkillUses(tx, resultOf(outcome)),
    recall: async (db, request) =>
      settings === null ? [] : recallSkills(db, request, { root, settings, holdout, now }),
    recordShown,
  };
}

/** Records which skills the prompt names, which one's text it has, and which were held out. */
async function recordShown(tx: Tx, memory: ShownMemory, now: Date): Promise<void> {
  const { iterationId, runId, taskId, attempt } = memory;
  const ids = memory.items.flatMap((item) => (item.section === section ? [item.id] : []));
  const held = memory.withheld.flatMap((item) => (item.section === section ? [item.id] : []));
  const shownAs = new Map<string, SkillUse["shown"]>(held.map((name) => [name, "withheld"]));
  for (const name of ids) {
    if (isName(name)) shownAs.set(name, ids.includes(bodyItem(name)) ? "body" : "name");
  }
  const base = { iterationId, runId, taskId, attempt, loaded: false, verified: null, tokens: null };
  const uses = [...shownAs].map(([name, shown]) => {
    return { ...base, name: safeText(name), shown, createdAt: now.toISOString() };
  });
  await insertSkillUses(tx, uses);
}

/** The items of bodies have a space in their ids. */
function isName(id: string): boolean {
  return !id.includes(" ");
}

/** An attempt that claims nothing has failed; a `done` that nothing verified is neither a success nor a failure. */
function resultOf({ iterationId, runId, name, verification, tokens, session }: Outcome) {
  return {
    iterationId,
    runId,
    verified: name !== "done" ? false : verification === "passed" ? true : null,
    // As in records: cache reads repeat the same context with each request.
    tokens: tokens && tokens.input + tokens.output + tokens.cacheWrite,
    loaded: session.loadedSkills ?? [],
  };
}
