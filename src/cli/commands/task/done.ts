import type { Completion } from "../../../tasks/finish-task.ts";
import type { Ticked } from "../../../tasks/tick-sources.ts";
import type { CommandSpec, Session } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { named } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";
import { deskOf, tellNoted } from "./say-of-claim.ts";
import { words } from "./typed.ts";
import { withProject } from "./with-project.ts";

/** `ralph task done`. */
export const done: CommandSpec = {
  name: "done",
  summary: "mark a task done",
  description:
    "Your word that it is done: nothing is verified. Of a task that an agent is at work on it is only a claim, which ralph verifies.",
  examples: ["ralph task done t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) =>
    withProject(session, {}, async (project) => {
      const desk = deskOf(session, project);
      for (const id of words(args["ids"])) {
        const said = await desk.done(id);
        if (said.noted) tellNoted(session, { id, verdict: "done" });
        else tell(session, said);
      }
      session.note(`hint: ${await nextStep(project.db)}`);
      return 0;
    }),
};

interface Finished {
  readonly end: Completion;
  readonly ticked: Ticked;
}

function tell(session: Session, { end, ticked }: Finished): void {
  const { completed, unblocked } = end;
  const [task, ...parents] = completed;
  if (session.json) session.out(jsonLine({ completed, unblocked }));
  else if (task) {
    const along = parents.length > 0 ? `; with it ${parents.map(({ id }) => id).join(", ")}` : "";
    const ready = unblocked.length > 0 ? `; ready now: ${unblocked.map(({ id }) => id).join(", ")}` : "";
    session.out(`done ${named(task)}${along}${ready}`);
  }
  for (const path of ticked.paths) session.note(`ticked in ${path}`);
  for (const warning of ticked.warnings) session.note(`warning: ${warning}`);
}
