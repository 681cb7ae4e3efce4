import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { type LearningActions, type LearningView, memoryJson } from "../../../memory/learning-actions.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";
import { isArchived, labelOf, listLine, renderLearningLines } from "./render-memory.ts";
import { learningActions } from "./with-collection.ts";

/** `ralph memory review` (LEARN-12). */
export const command: CommandSpec = {
  description:
    "Shows each unproven learning, the latest first, and asks: keep it (it counts as proven), edit it, reject it (it is archived), skip it, or quit. Without a terminal, lists them. Prompts show at most two unproven learnings; one that stays unproven in 20 prompts is archived. First come those that were withdrawn, because four tasks failed with them.",
  examples: ["ralph memory review", "ralph memory review --json", "ralph memory approve l-3fa9c1"],
  run: inProject(async (session, project) => {
    const actions = learningActions(session, project);
    const withdrawn = await actions.list({ withdrawn: true });
    const unproven = [...withdrawn, ...(await actions.list({ status: ["active", "stale"], unproven: true }))];
    if (session.json) session.out(storedJson(unproven.map(memoryJson)));
    else if (unproven.length === 0) session.note("no learning is unproven");
    else if (session.canAsk) await step(session, actions, unproven);
    else listAll(session, unproven);
  }),
};

function listAll(session: Session, unproven: readonly LearningView[]): void {
  const idWidth = unproven.reduce((width, { id }) => Math.max(width, id.length), 0);
  for (const learning of unproven) session.out(listLine(session, learning, idWidth));
  session.note(safe`${count(unproven.length, "unproven learning")}`);
  session.note("hint: run `ralph memory approve ID` to keep one, `ralph memory remove ID` to reject one");
}

type Decision = "keep" | "edit" | "reject" | "skip" | "quit";

const answers: Readonly<Record<string, Decision>> = {
  k: "keep",
  e: "edit",
  r: "reject",
  s: "skip",
  q: "quit",
};

/** Asks about each learning in turn, until the person quits. Each decision is stored at once. */
async function step(
  session: Session,
  actions: LearningActions,
  unproven: readonly LearningView[],
): Promise<void> {
  const done = { keep: 0, edit: 0, reject: 0 };
  for (const [at, learning] of unproven.entries()) {
    session.out(safe`\n${at + 1} of ${unproven.length}`);
    session.out(joinSafe(renderLearningLines(learning), "\n"));
    const decision = await askDecision(session);
    if (decision === "quit") break;
    if (decision === "skip") continue;
    const isDone = await decide(session, actions, { learning, decision });
    if (isDone) done[decision] += 1;
  }
  session.note(safe`kept ${done.keep}, edited ${done.edit}, rejected ${done.reject}`);
}

/** Asks until the answer is known. An empty one, as at the end of the input, quits. */
async function askDecision(session: Session): Promise<Decision> {
  for (;;) {
    const answer = (await session.ask(safe`[k]eep, [e]dit, [r]eject, [s]kip, [q]uit? `)).toLowerCase();
    const decision = answer === "" ? "quit" : answers[answer.slice(0, 1)];
    if (decision) return decision;
    session.note("answer with k, e, r, s or q");
  }
}

/** Carries out a decision. Returns false when an edit was given no text. */
async function decide(
  session: Session,
  actions: LearningActions,
  { learning, decision }: { readonly learning: LearningView; readonly decision: "keep" | "edit" | "reject" },
): Promise<boolean> {
  const { id } = learning;
  if (decision === "keep")
    return stated(session, safe`kept ${labelOf((await actions.approve([id]))[0] ?? learning)}`);
  if (decision === "reject") {
    const { learning: removed } = await actions.remove(id, "person");
    return stated(session, safe`rejected ${labelOf(removed)}`);
  }
  const text = await session.ask(safe`new text: `);
  if (text === "") {
    session.note("skipped: no text was given");
    return false;
  }
  const changed = await actions.edit(id, { text });
  // A withdrawn one comes back with the person's words.
  return stated(session, safe`changed ${labelOf(isArchived(changed) ? await actions.restore(id) : changed)}`);
}

function stated(session: Session, text: SafeText): true {
  session.out(text);
  return true;
}
