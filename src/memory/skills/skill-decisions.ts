import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import type { Db, Reader } from "../../store/port/db.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import {
  planAcceptance,
  planRestoration,
  planRetirement,
  type SkillDecision,
  type SkillPlace,
} from "./plan-decision.ts";
import { diffLines } from "./store/diff-lines.ts";
import { readSkillFiles, type SkillFiles } from "./store/read-skill-files.ts";
import type { Skill, SkillProposal } from "./store/skill.ts";
import { decideProposal, getProposal, getSkill, listProposals, listSkills } from "./store/skill-store.ts";

/** All that there is: accepted and retired skills, proposals that wait, and the files of the project's folders. */
interface SkillOverview {
  readonly skills: readonly Skill[];
  /** Oldest first. */
  readonly proposals: readonly SkillProposal[];
  readonly files: SkillFiles;
}

/** The skill and the proposal that a name or id stands for. */
interface FoundSkill {
  readonly skill: Skill | null;
  /** The proposal of the id, or the one of the name that waits. */
  readonly proposal: SkillProposal | null;
}

/** The decisions of people on skills. What changes files is planned here and carried out by the loop, with a commit. */
export interface SkillDecisions {
  overview(): Promise<SkillOverview>;
  /** @throws RalphError `RALPH_SKILL_UNKNOWN` */
  find(nameOrId: string): Promise<FoundSkill>;
  /** Returns the proposals that wait, oldest first. */
  pending(): Promise<readonly SkillProposal[]>;
  /** Returns a unified diff of what accepting a proposal changes; "": nothing. */
  diff(proposal: SkillProposal): Promise<SafeText>;
  /** Plans to accept the proposal of an id, or of a skill's name. */
  planAccept(nameOrId: string): Promise<SkillDecision>;
  planRetire(name: string, reason: string | null): Promise<SkillDecision>;
  planRestore(name: string): Promise<SkillDecision>;
  /** Rejects the proposal of an id, or of a skill's name. Changes no file. */
  reject(nameOrId: string): Promise<SkillProposal>;
}

/** Opens the decisions on the skills of a project. */
export function openDecisions(db: Db, place: SkillPlace, now: () => Date): SkillDecisions {
  return {
    overview: async () => ({
      skills: await listSkills(db),
      proposals: await listProposals(db, { status: "pending" }),
      files: await readSkillFiles(place.root, place.folders),
    }),
    find: (nameOrId) => findSkill(db, nameOrId),
    pending: () => listProposals(db, { status: "pending" }),
    diff: async (proposal) => diffOf(await planAcceptance(db, place, proposal)),
    planAccept: async (nameOrId) => planAcceptance(db, place, await findProposal(db, nameOrId)),
    planRetire: async (name, reason) => {
      const why = reason === null ? safe`retired by a person` : safeLine(reason, 300);
      return planRetirement(place, await requireSkill(db, name), why);
    },
    planRestore: async (name) => planRestoration(place, await requireSkill(db, name)),
    reject: async (nameOrId) => {
      const proposal = await findProposal(db, nameOrId);
      if (proposal.status !== "pending") {
        throw new RalphError("RALPH_SKILL_STATUS", `proposal ${proposal.id} is already ${proposal.status}`, {
          hint: "run `ralph skills list` to see what waits",
        });
      }
      return db.transaction((tx) => decideProposal(tx, proposal, "rejected", { runId: null, now: now() }));
    },
  };
}

/** Returns a unified diff of the files that a decision changes. */
function diffOf({ files }: Pick<SkillDecision, "files">): SafeText {
  const parts = files.flatMap(({ path, before, after }) => {
    const lines = diffLines(before, after);
    if (lines.length === 0) return [];
    const name = safeText(path);
    const head = [
      before === null ? safe`--- /dev/null` : safe`--- a/${name}`,
      after === null ? safe`+++ /dev/null` : safe`+++ b/${name}`,
    ];
    return [joinSafe([...head, safeText(lines.join("\n"))], "\n")];
  });
  return joinSafe(parts, "\n");
}

async function findSkill(q: Reader, nameOrId: string): Promise<FoundSkill> {
  const byId = await getProposal(q, nameOrId);
  const name = byId?.name ?? nameOrId;
  const skill = (await getSkill(q, name)) ?? null;
  const waiting = (await listProposals(q, { name, status: "pending" })).at(-1) ?? null;
  const proposal = byId ?? waiting;
  if (skill || proposal) return { skill, proposal };
  throw await unknown(q, nameOrId);
}

async function findProposal(q: Reader, nameOrId: string): Promise<SkillProposal> {
  const { skill, proposal } = await findSkill(q, nameOrId);
  if (proposal) return proposal;
  throw new RalphError("RALPH_SKILL_STATUS", `skill ${skill?.name ?? nameOrId} has no proposal that waits`, {
    hint: "run `ralph skills list` to see what waits",
  });
}

async function requireSkill(q: Reader, name: string): Promise<Skill> {
  const skill = await getSkill(q, name);
  if (skill) return skill;
  const [proposal] = await listProposals(q, { name, status: "pending" });
  if (!proposal) throw await unknown(q, name);
  throw new RalphError("RALPH_SKILL_STATUS", `skill ${name} is only proposed`, {
    hint: `run \`ralph skills accept ${proposal.id}\` or \`ralph skills reject ${proposal.id}\``,
  });
}

async function unknown(q: Reader, nameOrId: string): Promise<RalphError> {
  const names = (await listSkills(q)).map(({ name }) => name);
  const ids = (await listProposals(q)).map(({ id }) => id);
  const near = nearest(nameOrId, [...names, ...ids]);
  return new RalphError("RALPH_SKILL_UNKNOWN", `unknown skill or proposal ${JSON.stringify(nameOrId)}`, {
    hint: near ? `did you mean ${near}?` : "run `ralph skills list` to see skills and proposals",
  });
}
