import { clip, oneLine } from "../../../base/text.ts";
import type { Outcome, StatedLearning } from "../../../outcome/outcome.ts";
import type { Tx } from "../../../store/db.ts";
import { getTask } from "../../../tasks/task-store.ts";
import {
  categoryChars,
  type Learning,
  type NewLearning,
  type Provenance,
  perIteration,
} from "../learning.ts";
import { shownIn } from "../store/injection-store.ts";
import { type LearningChange, newLearning, putLearnings } from "../store/learning-store.ts";
import { findByHash, findFixes, getLearnings, historyOf } from "../store/read-learnings.ts";
import { citeFiles } from "./cite-files.ts";
import { contextFiles, contextTags } from "./enrich-tags.ts";
import { fixLesson, type OvercomeFailure, overcomeFailure } from "./known-fix.ts";
import { contentHash, isSubstantive, splitLesson, storableText, tidyTags } from "./learning-text.ts";
import { isRestated, restatedLearning } from "./restated-lesson.ts";

interface CaptureSetup {
  readonly root: string;
  /** The whole prompt of the iteration, normalised; "" when it is not known any more. */
  readonly prompt: string;
}

/** Keeps what the agent says it learnt, and a known fix where the attempt ended an error (LEARN-2, LEARN-10, FAIL-5). */
export async function captureLearnings(
  tx: Tx,
  outcome: Outcome,
  { root, prompt }: CaptureSetup,
  now: Date,
): Promise<readonly Learning[]> {
  const overcome = await overcomeFailure(tx, outcome);
  const said = outcome.claims.memory.learnings;
  if (said.length === 0 && !overcome) return [];
  const task = await getTask(tx, outcome.taskId);
  const shown = await getLearnings(tx, await shownIn(tx, outcome.iterationId));
  const files = contextFiles(outcome, task);
  const place: Place = {
    outcome,
    root,
    files,
    taskTags: task?.tags ?? [],
    fixes: overcome?.signatures ?? [],
  };
  const captured: Learning[] = [];
  const echoes: string[] = [];
  const keep = async (made: NewLearning): Promise<void> => {
    const change = await changeFor(tx, made, now);
    await putLearnings(tx, [change], { runId: outcome.runId, now });
    if (change.change === "captured") captured.push(change.learning);
  };
  for (const one of said.slice(0, perIteration)) {
    const text = storableText(one.text);
    if (!isSubstantive(text)) continue;
    if (!isRestated(text, prompt, shown)) await keep(await asNew(one, text, place));
    else echoes.push(text);
  }
  const restated = new Set(echoes.flatMap((text) => restatedLearning(text, shown) ?? []));
  for (const learning of restated) await linkFix(tx, { learning, place, now });
  // What the agent said it learned carries the error that it ended. A fix is made of facts only where nobody said it.
  const isKnown = overcome && captured.length + (await knownFixes(tx, overcome)) > 0;
  const words = summaryOf(outcome.finalMessage);
  // An agent that only repeated its prompt adds nothing to the facts.
  if (overcome && !isKnown && (words !== "" || echoes.length === 0))
    await keep(fixOf(overcome, place, words));
  return captured;
}

interface Restated {
  readonly learning: Learning;
  readonly place: Place;
  readonly now: Date;
}

/** Links a learning that the agent repeats, and no new one, to the errors that the attempt ended. */
async function linkFix(tx: Tx, { learning, place, now }: Restated): Promise<void> {
  const added = place.fixes.filter((signature) => !learning.fixes.includes(signature));
  if (added.length === 0) return;
  const { taskId, runId } = place.outcome;
  const linked = { ...learning, fixes: [...learning.fixes, ...added], updatedAt: now.toISOString() };
  const detail = { task: taskId, fixes: [...added] };
  await putLearnings(tx, [{ learning: linked, change: "strengthened", by: "agent", detail }], { runId, now });
}

async function knownFixes(tx: Tx, { signatures }: OvercomeFailure): Promise<number> {
  const [last] = signatures;
  return last === undefined ? 0 : (await findFixes(tx, last, 1)).length;
}

interface Place {
  readonly outcome: Outcome;
  readonly root: string;
  readonly files: readonly string[];
  readonly taskTags: readonly string[];
  readonly fixes: readonly string[];
}

async function asNew(
  said: StatedLearning,
  text: string,
  { outcome, root, files, taskTags, fixes }: Place,
): Promise<NewLearning> {
  return {
    ...splitLesson(text),
    category: clip(oneLine(storableText(said.category)), categoryChars) || "other",
    topic: said.topic === null ? null : clip(oneLine(storableText(said.topic)), categoryChars) || null,
    tags: tidyTags([...said.tags, ...taskTags, ...contextTags(outcome, files, text)]),
    files,
    citations: await citeFiles(root, `${text} ${said.tags.join(" ")}`),
    fixes,
    provenance: provenanceOf(outcome),
  };
}

function fixOf(overcome: OvercomeFailure, place: Place, words: string): NewLearning {
  const { outcome, files, taskTags } = place;
  const { lesson, detail } = fixLesson(overcome, outcome, words);
  return {
    lesson,
    detail,
    category: "debugging_technique",
    topic: clip(oneLine(storableText(overcome.category)), categoryChars),
    tags: tidyTags([overcome.category, ...taskTags, ...contextTags(outcome, files, lesson)]),
    files,
    fixes: overcome.signatures,
    provenance: provenanceOf(outcome),
  };
}

/** What the agent said in plain words: its first lines that are no tag. */
function summaryOf(message: string): string {
  const lines = storableText(message).split("\n");
  const plain = lines.filter((line) => line.trim() !== "" && !/^\s*[<`#|]/.test(line));
  const summary = oneLine(plain.slice(0, 4).join(" "));
  return isSubstantive(summary) ? clip(summary, 400) : "";
}

function provenanceOf(outcome: Outcome): Provenance {
  return {
    source: "agent",
    origin: null,
    task: outcome.taskId,
    runId: outcome.runId,
    iterationId: outcome.iterationId,
    agent: outcome.agent,
    model: outcome.model,
  };
}

/** A new learning, or the old one strengthened where there is one with the same words. */
async function changeFor(tx: Tx, made: NewLearning, now: Date): Promise<LearningChange> {
  const old = await findByHash(tx, contentHash(made.lesson, made.detail ?? ""));
  if (!old) return { learning: await newLearning(tx, made, now), change: "captured", by: "agent" };
  // What age put away and is said again is of use after all; what a person put away stays away.
  const revived = old.status === "pruned" && (await historyOf(tx, old.id)).at(-1)?.by === "ralph";
  // Stored by a tool and said again at the end: one session's word counts once.
  const again =
    old.provenance.iterationId !== null && old.provenance.iterationId === made.provenance.iterationId;
  const learning: Learning = {
    ...old,
    ...(revived ? { status: "active", prunedAt: null } : {}),
    timesSeen: old.timesSeen + (again ? 0 : 1),
    tags: tidyTags([...old.tags, ...(made.tags ?? [])]),
    fixes: [...new Set([...old.fixes, ...(made.fixes ?? [])])],
    updatedAt: now.toISOString(),
  };
  const detail = { task: made.provenance.task, timesSeen: learning.timesSeen, revived };
  return { learning, change: "strengthened", by: "agent", detail };
}
