import type { SafeText } from "../base/safe-text.ts";
import type { Db, Reader } from "../store/port/db.ts";
import type { SkillFolders as Folders } from "./port/skill-settings.ts";
import type { Learned } from "./skills/learn/learn-skills.ts";
import type { Rewriting } from "./skills/learn/rewrite-draft.ts";
import type { SkillDecision as Decision } from "./skills/plan-decision.ts";
import { openDecisions, type SkillDecisions } from "./skills/skill-decisions.ts";
import { countWaiting, readSkillStats, type SkillStats } from "./skills/skill-stats.ts";
import { readSkillFiles } from "./skills/store/read-skill-files.ts";
import type { Skill, SkillProposal } from "./skills/store/skill.ts";

/** An accepted skill as people and other rooms see it. */
export type SkillView = Skill;
export type ProposalView = SkillProposal;
export type SkillDecision = Decision;
export type SkillFolders = Folders;

/** The dependencies of the actions on skills. */
interface SkillActionsSetup {
  readonly db: Db;
  readonly root: string;
  /** The folder of record files, relative to `root`. */
  readonly recordsDir: string;
  readonly folders: SkillFolders;
  readonly now: () => Date;
  /** Absent, or without a model: the template's words stand. */
  readonly rewriting?: Rewriting;
}

/** The actions of people on skills. */
export interface SkillActions extends SkillDecisions {
  /** Aggregates what changed since the last aggregation, and proposes the skills that it is worth (SKILL-1). */
  aggregate(): Promise<Learned>;
  /** Proposes a skill of every topic that is worth one, also where only counts differ (SKILL-2). */
  generate(): Promise<Learned>;
}

/** Opens the actions on the skills of a project. */
export function openSkillActions(setup: SkillActionsSetup): SkillActions {
  const { db, root, recordsDir, folders, now, rewriting } = setup;
  const folder = { root, dir: recordsDir };
  const learn = async (forced: boolean): Promise<Learned> => {
    // On demand: merging patterns loads much that statistics do not need.
    const { learnSkills } = await import("./skills/learn/learn-skills.ts");
    const { rewriteWith } = await import("./skills/learn/rewrite-draft.ts");
    const rewrite = rewriting ? rewriteWith(rewriting) : null;
    return learnSkills({ db, folder, runId: null, now: now(), forced, rewrite });
  };
  const decisions = openSkillDecisions(db, { root, folders }, now);
  return { ...decisions, aggregate: () => learn(false), generate: () => learn(true) };
}

/** Opens the decisions on the skills of a project. */
export function openSkillDecisions(
  db: Db,
  place: { readonly root: string; readonly folders: SkillFolders },
  now: () => Date,
): SkillDecisions {
  return openDecisions(db, place, now);
}

/** Counts the proposals that wait for a person. */
export async function waitingProposals(q: Reader): Promise<number> {
  return countWaiting(q);
}

/** Returns the metrics object of `ralph skills stats` (SKILL-5). Only reads. */
export async function skillStats(q: Reader): Promise<SkillStats> {
  return readSkillStats(q);
}

/** Counts the skills in a project's folders; `problems`: a line for each that cannot be read. */
export async function examineSkills(
  root: string,
  folders: SkillFolders,
): Promise<{ readonly skills: number; readonly problems: readonly SafeText[] }> {
  const { skills, problems } = await readSkillFiles(root, folders);
  return { skills: skills.length, problems };
}
