import { safe } from "../../../base/safe-text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { chosenIds, withSkills } from "./with-skills.ts";

/** `ralph skills reject` (SKILL-3). */
export const reject: CommandSpec = {
  description: "Changes no file. The same evidence is not proposed again; a new pattern of the topic is.",
  examples: [
    "ralph skills reject ios26-learned",
    "ralph skills reject sp-3fa9c1",
    "ralph skills reject --all",
  ],
  arguments: [{ name: "[proposals...]", description: "ids of proposals, or names of skills" }],
  options: [{ flags: "--all", description: "reject all proposals" }],
  run: async (session, { args, options }) => {
    return withSkills(session, async (actions) => {
      const rejected: { id: string; name: string }[] = [];
      for (const nameOrId of await chosenIds(actions, args["proposals"], options["all"] === true)) {
        const { id, name } = await actions.reject(nameOrId);
        rejected.push({ id, name });
        if (!session.json) session.out(safe`rejected ${storedText(id)} (${storedText(name)})`);
      }
      if (session.json) session.out(storedJson({ success: true, rejected }));
      else if (rejected.length === 0) session.note("no proposal waits");
    });
  },
};
