import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import { optionalText, textOption } from "./input/typed.ts";
import { withProject } from "./input/with-project.ts";
import { taskLabel } from "./view/describe-task.ts";
import { reportClaim, taskActionsOf } from "./view/report-claim.ts";

/** `ralph task fail`. */
export const fail: CommandSpec = {
  name: "fail",
  summary: "mark a task failed",
  description:
    "Gives a task up: what waits for it is blocked with the reason. While an agent is at work on it, its result will not count; typed by that agent it is only a claim.",
  examples: ['ralph task fail t-3fa9c1 --reason "the API is gone"'],
  arguments: [{ name: "<id>", description: "the task" }],
  options: [{ flags: "--reason <text>", description: "why" }],
  run: async (session, { args, options }) =>
    withProject(session, {}, async (project) => {
      const id = textOption(args["id"]);
      const reason = optionalText(options["reason"]) ?? "given up by a person";
      const said = await taskActionsOf(session, project).fail(id, reason);
      if (said.noted) {
        reportClaim(session, { id, verdict: "failed" });
        return 0;
      }
      const { noted: _, ...end } = said;
      const along = end.blocked.map((task) => task.id);
      if (session.json) session.out(jsonLine(end));
      else
        session.out(
          `failed ${taskLabel(end.task)}${along.length > 0 ? `; blocked with it: ${along.join(", ")}` : ""}`,
        );
      session.note(`hint: ralph task reset ${id} opens it again`);
      return 0;
    }),
};
