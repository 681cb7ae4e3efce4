import { safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { printResult, textOption } from "../../shell/io.ts";
import { hivemindActions } from "./with-collection.ts";

/** `ralph memory share`. */
export const command: CommandSpec = {
  description:
    "Learnings that helped two verified tasks and name no file or identifier are shared by themselves. This command shares any learning of this project, without its secrets, e-mail addresses, hosts and absolute paths.",
  examples: ["ralph memory share l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning" }],
  run: inProject(async (session, project, { args }) => {
    const actions = await hivemindActions(session, project);
    const { id, content } = await actions.share(textOption(args["id"]));
    printResult(
      session,
      { success: true, id, content },
      safe`shared as ${storedText(id)}: ${clip(storedText(content), 200)}`,
    );
  }),
};

/** `ralph memory unshare`. */
export const unshare: CommandSpec = {
  description: "The learning stays in this project. It is not shared by itself again.",
  examples: ["ralph memory unshare l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning" }],
  run: inProject(async (session, project, { args }) => {
    const id = textOption(args["id"]);
    const actions = await hivemindActions(session, project);
    const wasShared = await actions.unshare(id);
    printResult(
      session,
      { success: true, id, wasShared },
      wasShared ? safe`deleted ${storedText(id)} from the hivemind` : safe`${storedText(id)} stays local`,
    );
  }),
};
