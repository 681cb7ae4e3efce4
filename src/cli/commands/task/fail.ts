import { failTask } from "../../../tasks/finish-task.ts";
import { requireTask } from "../../../tasks/task-store.ts";
import type { CommandSpec } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { named } from "./describe-task.ts";
import { sayOfClaim } from "./say-of-claim.ts";
import { optionalWord, word } from "./typed.ts";
import { withProject } from "./with-project.ts";

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
    withProject(session, {}, async ({ db }) => {
      const id = word(args["id"]);
      const reason = optionalWord(options["reason"]) ?? "given up by a person";
      const end = await db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await sayOfClaim(session, tx, { id, verdict: "failed" })) return undefined;
        return failTask(tx, id, reason, session.clock.now());
      });
      if (!end) return 0;
      const along = end.blocked.map((task) => task.id);
      if (session.json) session.out(jsonLine(end));
      else
        session.out(
          `failed ${named(end.task)}${along.length > 0 ? `; blocked with it: ${along.join(", ")}` : ""}`,
        );
      session.note(`hint: ralph task reset ${id} opens it again`);
      return 0;
    }),
};
