import type { Owner } from "../../../base/owner.ts";
import { openTaskDesk, type TaskDesk } from "../../../tasks/manage-tasks.ts";
import type { Word } from "../../../tasks/note-word.ts";
import type { Project, Session } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { iterationTask } from "./inside-iteration.ts";

/** The project's tasks for the words of whoever types: a person, or the agent of an iteration. */
export function deskOf(session: Session, { db, root }: Project): TaskDesk {
  const speaker = { mine: iterationTask(), isAlive: isOwnerAlive };
  return openTaskDesk({ db, root, now: () => session.clock.now(), speaker });
}

/** Tells that a word was only noted (LOOP-4). */
export function tellNoted(session: Session, { id, verdict }: Word): void {
  const then =
    verdict === "done" ? "ralph verifies it when the agent ends" : "ralph records it when the agent ends";
  if (session.json) session.out(jsonLine({ id, claimed: verdict }));
  else session.out(`noted: ${id} is said to be ${verdict}; ${then}`);
}

/** Loaded when it is needed: few commands ask. */
export async function isOwnerAlive(owner: Owner): Promise<boolean> {
  const { ownerIsAlive } = await import("../../../agents/supervision.ts");
  return ownerIsAlive(owner);
}
