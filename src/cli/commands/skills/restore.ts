import type { CommandSpec } from "../../shell/command.ts";
import { decide, withSkills } from "./with-skills.ts";

/** `ralph skills restore` (SKILL-5). */
export const restore: CommandSpec = {
  description: "Writes the files of a retired skill again, in one commit.",
  examples: ["ralph skills restore ios26-learned"],
  arguments: [{ name: "<name>", description: "the skill's name" }],
  run: async (session, { args }) => {
    return withSkills(session, async (actions, project) => {
      await decide(session, project, [() => actions.planRestore(String(args["name"]))]);
    });
  },
};
