import { RalphError } from "../../base/errors.ts";
import { type RedactedText, type SafeText, safe } from "../../base/safe-text.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import type { SkillFolders } from "../port/skill-settings.ts";
import { contentOf, type Skill, type SkillProposal } from "./store/skill.ts";
import {
  decideProposal,
  getSkill,
  listProposals,
  putSkill,
  type SkillOccasion,
} from "./store/skill-store.ts";
import {
  filesOfPersons,
  planRemoval,
  planSkillFiles,
  type SkillFileChange,
  undoSkillFiles,
  writeSkillFiles,
} from "./store/write-skill-files.ts";

/** Where the files of skills are. */
export interface SkillPlace {
  readonly root: string;
  readonly folders: SkillFolders;
}

type DecisionKind = "accept" | "change" | "retire" | "restore";

/**
 * A decision on a skill, ready to be carried out: first `write`, then a commit, last `record`. What is interrupted is
 * repeated by the same decision, because the proposal waits until `record`.
 */
export interface SkillDecision {
  readonly kind: DecisionKind;
  /** The name of the skill; with a number where a person's skill has the proposed name. */
  readonly name: SafeText;
  /** Why, in one line. */
  readonly reason: RedactedText;
  readonly files: readonly SkillFileChange[];
  /** Returns the paths that it changed, relative to the project. */
  write(): Promise<readonly string[]>;
  undo(): Promise<void>;
  record(tx: Tx, occasion: SkillOccasion): Promise<Skill>;
}

/** @throws RalphError `RALPH_SKILL_STATUS`, `RALPH_SKILL_TAKEN` */
export async function planAcceptance(
  q: Reader,
  place: SkillPlace,
  proposal: SkillProposal,
): Promise<SkillDecision> {
  if (proposal.status !== "pending") throw decided(proposal);
  const known = await getSkill(q, proposal.name);
  if (proposal.kind === "retire") {
    if (known?.status === "active") return retirement(place, known, proposal.reason, proposal);
    throw new RalphError("RALPH_SKILL_STATUS", `skill ${proposal.name} is not active: it cannot be retired`, {
      hint: `run \`ralph skills reject ${proposal.id}\``,
    });
  }
  const isActive = known?.status === "active";
  if (isActive) refuseTaken(place, proposal.name, `ralph skills reject ${proposal.id}`);
  const name = isActive ? proposal.name : await freeName(q, place, proposal);
  const content = contentOf({ ...proposal, name });
  return {
    ...filesOf(place, planSkillFiles(place.root, place.folders, content)),
    kind: isActive ? "change" : "accept",
    name,
    reason: proposal.reason,
    record: async (tx, occasion) => {
      const at = occasion.now.toISOString();
      const acceptedAt = isActive ? known.acceptedAt : at;
      const skill: Skill = { ...content, ...active, acceptedAt, updatedAt: at };
      await putSkill(tx, skill, isActive ? "changed" : "accepted", occasion);
      // Under its new name: later evidence of the topic is compared with what was decided here.
      await decideProposal(tx, { ...proposal, name }, "accepted", occasion);
      return skill;
    },
  };
}

/** @throws RalphError `RALPH_SKILL_STATUS` */
export function planRetirement(place: SkillPlace, skill: Skill, reason: RedactedText): SkillDecision {
  if (skill.status === "active") return retirement(place, skill, reason, null);
  throw new RalphError("RALPH_SKILL_STATUS", `skill ${skill.name} is already retired`, {
    hint: `to undo that, run \`ralph skills restore ${skill.name}\``,
  });
}

/** @throws RalphError `RALPH_SKILL_STATUS`, `RALPH_SKILL_TAKEN` */
export function planRestoration(place: SkillPlace, skill: Skill): SkillDecision {
  if (skill.status === "active") {
    throw new RalphError("RALPH_SKILL_STATUS", `skill ${skill.name} is not retired`, {
      hint: "run `ralph skills list` to see the status of each skill",
    });
  }
  refuseTaken(place, skill.name, null);
  return {
    ...filesOf(place, planSkillFiles(place.root, place.folders, skill)),
    kind: "restore",
    name: skill.name,
    reason: safe`restored by a person`,
    record: async (tx, occasion) => {
      const restored: Skill = { ...skill, ...active, updatedAt: occasion.now.toISOString() };
      await putSkill(tx, restored, "restored", occasion);
      return restored;
    },
  };
}

const active = { status: "active", retiredAt: null, reason: null } as const;

function retirement(
  place: SkillPlace,
  skill: Skill,
  reason: RedactedText,
  proposal: SkillProposal | null,
): SkillDecision {
  return {
    ...filesOf(place, planRemoval(place.root, place.folders, skill)),
    kind: "retire",
    name: skill.name,
    reason,
    record: async (tx, occasion) => {
      const at = occasion.now.toISOString();
      const retired: Skill = { ...skill, status: "retired", updatedAt: at, retiredAt: at, reason };
      await putSkill(tx, retired, "retired", occasion);
      if (proposal) await decideProposal(tx, proposal, "accepted", occasion);
      for (const other of await listProposals(tx, { name: skill.name, status: "pending" }))
        await decideProposal(tx, other, "superseded", occasion);
      return retired;
    },
  };
}

function filesOf(
  { root }: SkillPlace,
  files: readonly SkillFileChange[],
): Pick<SkillDecision, "files" | "write" | "undo"> {
  return { files, write: () => writeSkillFiles(root, files), undo: () => undoSkillFiles(root, files) };
}

const maxNameChars = 64;
const maxNumber = 99;

/** Returns the proposed name, with a number where a person's skill or another topic's has it. */
async function freeName(q: Reader, place: SkillPlace, { name, category }: SkillProposal): Promise<SafeText> {
  for (let number = 1; number <= maxNumber; number += 1) {
    const ending = number === 1 ? safe`` : safe`-${number}`;
    const tried = safe`${shortened(name, maxNameChars - ending.length)}${ending}`;
    const known = await getSkill(q, tried);
    const isOwn = known === undefined || known.category === category;
    if (isOwn && filesOfPersons(place.root, place.folders, tried).length === 0) return tried;
  }
  throw new RalphError("RALPH_SKILL_TAKEN", `no name is free: ${name} to ${name}-${maxNumber} are in use`, {
    hint: "rename or remove some of these skills",
  });
}

/** Returns the beginning of a name without a dash at its end. */
function shortened(name: SafeText, chars: number): SafeText {
  const short = name.slice(0, chars);
  return short.endsWith("-") ? short.slice(0, -1) : short;
}

/** A skill whose markers a person removed is the person's. */
function refuseTaken({ root, folders }: SkillPlace, name: string, instead: string | null): void {
  const [path] = filesOfPersons(root, folders, name);
  if (path === undefined) return;
  const why = "it has no ralph markers, so a person wrote it";
  throw new RalphError("RALPH_SKILL_TAKEN", `${path} is not changed: ${why}`, {
    hint: instead
      ? `keep yours and run \`${instead}\`, or move it elsewhere`
      : "move it elsewhere and try again",
  });
}

function decided({ id, name, status }: SkillProposal): RalphError {
  const hints: Readonly<Record<string, string>> = {
    accepted: `run \`ralph skills show ${name}\` to see the skill`,
    superseded: "run `ralph skills list` to see the newer proposal",
    rejected: "run `ralph skills generate` to propose again what changed",
  };
  return new RalphError("RALPH_SKILL_STATUS", `proposal ${id} is already ${status}`, {
    hint: hints[status] ?? "run `ralph skills list`",
  });
}
