import type { CommandSpec } from "../../shell/command.ts";
import { chosenIds, decide, withSkills } from "./with-skills.ts";

/** `ralph skills accept` (SKILL-3). */
export const accept: CommandSpec = {
  description:
    "Writes each proposed skill to the folders of `skills.dirs`, or retires it if that is proposed, in one commit of exactly these files. Your own text outside ralph's markers stays. Read what changes with `ralph skills diff`.",
  examples: [
    "ralph skills diff ios26-learned",
    "ralph skills accept ios26-learned",
    "ralph skills accept sp-3fa9c1",
    "ralph skills accept --all",
  ],
  arguments: [{ name: "[proposals...]", description: "ids of proposals, or names of skills" }],
  options: [{ flags: "--all", description: "accept all proposals" }],
  run: async (session, { args, options }) => {
    return withSkills(session, async (actions, project) => {
      const ids = await chosenIds(actions, args["proposals"], options["all"] === true);
      // Unknown ones are refused before anything is written.
      for (const id of ids) await actions.planAccept(id);
      await decide(
        session,
        project,
        ids.map((id) => () => actions.planAccept(id)),
      );
      if (ids.length === 0) session.note("no proposal waits");
    });
  },
};
