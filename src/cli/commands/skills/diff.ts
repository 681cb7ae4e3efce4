import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import type { ProposalView, SkillActions } from "../../../memory/skill-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { painter } from "../../../ui/paint.ts";
import { skillsOf } from "../../project/skills-of.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";

/** `ralph skills diff` (SKILL-3). */
export const command: CommandSpec = {
  description: "Shows the change of each file as a unified diff; without a proposal, of all that wait.",
  examples: ["ralph skills diff", "ralph skills diff ios26-learned", "ralph skills diff sp-3fa9c1"],
  arguments: [{ name: "[proposal]", description: "id of a proposal, or name of a skill" }],
  run: inProject(async (session, project, { args }) => {
    const named = args["proposal"];
    const actions = skillsOf(session, project);
    const proposals = await chosen(actions, named);
    const diffs: object[] = [];
    for (const proposal of proposals) {
      const { id, name, kind, reason } = proposal;
      const text = await actions.diff(proposal);
      diffs.push({ id, name, kind, reason, diff: text });
      if (session.json) continue;
      session.note(safe`${storedText(id)} ${kind} ${storedText(name)}: ${storedLine(reason, 300)}`);
      if (text !== "") session.out(coloured(session, text));
    }
    if (session.json) session.out(storedJson(diffs));
    else if (proposals.length === 0) session.note("no proposal waits");
    else session.note("hint: run `ralph skills accept` or `ralph skills reject` with the id");
  }),
};

async function chosen(
  actions: SkillActions,
  named: string | readonly string[] | undefined,
): Promise<readonly ProposalView[]> {
  if (typeof named !== "string") return actions.pending();
  const { proposal } = await actions.find(named);
  return proposal ? [proposal] : [];
}

const styles = [
  ["---", "bold"],
  ["+++", "bold"],
  ["@@", "info"],
  ["+", "good"],
  ["-", "bad"],
] as const;

function coloured({ screen }: Session, text: SafeText): SafeText {
  const paint = painter(screen.colour);
  const lines = text.split("\n").map((line) => {
    const style = styles.find(([start]) => line.startsWith(start))?.[1];
    return style ? paint(style, line) : line;
  });
  return joinSafe(lines, "\n");
}
