import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { ProposalView, SkillView } from "../../../memory/skill-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { skillsOf } from "../../project/skills-of.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";
import { skillJson } from "./render-skills.ts";

/** `ralph skills show`. */
export const command: CommandSpec = {
  description:
    "Shows the generated part of a skill and what it was made from; for a name without an accepted skill, what is proposed.",
  examples: ["ralph skills show ios26-learned", "ralph skills show sp-3fa9c1"],
  arguments: [{ name: "<name>", description: "name of a skill, or id of a proposal" }],
  run: inProject(async (session, project, { args }) => {
    const named = String(args["name"]);
    const actions = skillsOf(session, project);
    const { skill, proposal } = await actions.find(named);
    const asProposal = proposal?.id === named || skill === null;
    if (session.json) {
      session.out(
        storedJson({
          skill: skill && { ...skillJson(skill), body: skill.body },
          proposal: proposal && proposalJson(proposal),
        }),
      );
      return;
    }
    const content = asProposal ? proposal : skill;
    if (!content) return;
    for (const line of headOf(content, asProposal ? proposal : null, skill)) session.note(line);
    session.out(storedText(content.body));
    hintAt(session, proposal);
  }),
};

function proposalJson({ body, decidedAt, createdAt, runId, ...rest }: ProposalView): object {
  const { id, name, category, kind, status, description, tags, files, source, reason } = rest;
  return {
    ...{ id, name, category, kind, status, reason, description, tags, files, source },
    ...{ runId, createdAt, decidedAt, body },
  };
}

function headOf(
  content: SkillView | ProposalView,
  proposal: ProposalView | null,
  skill: SkillView | null,
): readonly SafeText[] {
  const { name, description, tags, files, source } = content;
  const status = proposal
    ? safe`proposal ${storedText(proposal.id)} (${proposal.kind}, ${proposal.status}): ${storedLine(proposal.reason, 300)}`
    : statusOf(skill);
  const rows: readonly (readonly [SafeText, SafeText])[] = [
    [safe`status`, status],
    [safe`says`, storedLine(description)],
    [safe`tags`, storedLine(tags.join(", "), 500)],
    [safe`files`, storedLine(files.join(", "), 500)],
    [safe`tasks`, storedLine(source.taskIds.join(", "), 500)],
    [safe`learnings`, storedLine(source.learningIds.join(", "), 500)],
  ];
  return [
    storedText(name),
    ...rows.filter(([, value]) => value !== "").map(([label, value]) => safe`  ${label.padEnd(10)} ${value}`),
    safe``,
  ];
}

function statusOf(skill: SkillView | null): SafeText {
  if (!skill) return safe``;
  if (skill.status === "active") return safe`active since ${storedText(skill.acceptedAt)}`;
  return safe`retired at ${storedText(skill.retiredAt ?? "")}: ${storedLine(skill.reason ?? "", 300)}`;
}

function hintAt(session: Session, proposal: ProposalView | null): void {
  if (proposal?.status !== "pending") return;
  const id = storedText(proposal.id);
  session.note(safe`hint: \`ralph skills diff ${id}\`, then \`ralph skills accept ${id}\` or \`reject\``);
}
