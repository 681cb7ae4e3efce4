import type { CommandSpec } from "../../shell/command.ts";
import { decide, withSkills } from "./with-skills.ts";

/** `ralph skills retire` (SKILL-5). */
export const retire: CommandSpec = {
  description:
    "Deletes the files that ralph wrote for the skill, in one commit. From a file that you added text to, only the part between ralph's markers goes. Undo it with `ralph skills restore`.",
  examples: ["ralph skills retire ios26-learned", 'ralph skills retire ios26-learned --reason "outdated"'],
  arguments: [{ name: "<name>", description: "the skill's name" }],
  options: [{ flags: "--reason <text>", description: "why, for the commit and the history" }],
  run: async (session, { args, options }) => {
    const reason = typeof options["reason"] === "string" ? options["reason"] : null;
    return withSkills(session, async (actions, project) => {
      await decide(session, project, [() => actions.planRetire(String(args["name"]), reason)]);
    });
  },
};
