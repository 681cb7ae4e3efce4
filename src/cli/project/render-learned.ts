import { safe } from "../../base/safe-text.ts";
import type { SkillActions } from "../../memory/skill-actions.ts";
import { storedLine } from "../../trust/stored-text.ts";
import type { Session } from "../shell/command.ts";

type Learned = Awaited<ReturnType<SkillActions["aggregate"]>>;

/** Returns the fields of an aggregation for `--json`. */
export function learnedJson({ proposals, ...counts }: Learned): object {
  return {
    success: true,
    ...counts,
    proposals: proposals.map(({ id, name, kind, category, reason }) => ({
      id,
      name,
      kind,
      category,
      reason,
    })),
  };
}

/** Names the skills that were proposed. */
export function noteProposals(session: Session, { proposals }: Learned): void {
  for (const { name, kind, reason } of proposals)
    session.note(safe`proposed to ${kind} the skill ${storedLine(name)}: ${storedLine(reason)}`);
}
