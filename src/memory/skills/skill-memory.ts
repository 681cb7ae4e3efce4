import { safe } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { safeText } from "../../trust/safe-text.ts";
import { counted } from "../port/kind-commands.ts";
import type {
  KindSetup,
  MaintenanceRequest,
  MemoryKind,
  OpenedKind,
  ShownMemory,
} from "../port/memory-kind.ts";
import { figuresOf, harmIn } from "./measure-skills.ts";
import { bodyItem, recallSkills } from "./recall-skills.ts";
import { contentOf, type Skill, type SkillUse } from "./store/skill.ts";
import { addProposal, listProposals, listSkills, type NewProposal } from "./store/skill-store.ts";
import {
  countShownSkills,
  countSkillUses,
  eraseSkillUses,
  insertSkillUses,
  listSkillUses,
  settleSkillUses,
} from "./store/skill-use-store.ts";

const section = "skills";

/** The skills of the project's folders: shown where they fit a task, and measured (SKILL-4, SKILL-5). */
export const skillKind: MemoryKind = {
  name: section,
  open: openSkills,
  maintenance: [{ step: "retire", run: proposeRetirement }],
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
    capture: (tx, { outcome }) => settleSkillUses(tx, resultOf(outcome)),
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

/** Proposes to retire accepted skills that do harm (SKILL-5). */
async function proposeRetirement({ db, runId, now, pacer }: MaintenanceRequest): Promise<void> {
  for (const skill of await listSkills(db, "active")) {
    await pacer?.pause();
    const proposal = await retirementOf(db, skill);
    if (proposal) await db.transaction((tx) => addProposal(tx, proposal, { runId, now }));
  }
}

/** Returns the proposal to retire a skill with which fewer attempts pass; undefined: nothing shows that, or one waits. */
async function retirementOf(q: Reader, skill: Skill): Promise<NewProposal | undefined> {
  const earlier = (await listProposals(q, { name: skill.name })).filter(({ kind }) => kind === "retire");
  if (earlier.some(({ status }) => status === "pending")) return undefined;
  // Uses of an earlier text, and those that a person judged already, do not count again.
  const since = [skill.updatedAt, ...earlier.map(({ decidedAt }) => decidedAt ?? "")].toSorted().at(-1) ?? "";
  const uses = (await listSkillUses(q, skill.name)).filter(({ createdAt }) => createdAt > since);
  const harm = harmIn(uses);
  if (harm === null) return undefined;
  return { ...contentOf(skill), kind: "retire", reason: figuresOf(harm) };
}
