import { type RedactedText, type SafeText, safe } from "../../base/safe-text.ts";
import { clip, oneLine } from "../../base/text.ts";
import type { Outcome, StatedLearning } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/port/db.ts";
import { redactedText } from "../../trust/safe-text.ts";
import type { Captured } from "../port/memory-kind.ts";
import { contextFiles, contextTags } from "./enrich-tags.ts";
import { fixLesson, type OvercomeFailure, overcomeFailure } from "./known-fix.ts";
import { pruneLearnings } from "./manage/prune-learnings.ts";
import { citeFiles } from "./store/cite-files.ts";
import { shownIn } from "./store/injection-store.ts";
import {
  isPersons,
  isProven,
  isSummary,
  type Learning,
  type NewLearning,
  type Provenance,
  perIteration,
  summaryCategory,
} from "./store/learning.ts";
import { type LearningChange, newLearning, putLearnings } from "./store/learning-store.ts";
import {
  contentHash,
  isRestated,
  isSubstantive,
  restatedLearning,
  splitLesson,
  storableName,
  storableText,
  storableWhen,
  tidyTags,
} from "./store/learning-text.ts";
import { archivedBy, findByHash, findFixes, getLearnings, listLearnings } from "./store/read-learnings.ts";

interface CaptureSetup {
  readonly root: string;
  /** The whole prompt of the iteration, normalised; "" when it is no longer known. */
  readonly prompt: string;
}

/** Stores the agent's learnings, and a known fix when the attempt ended an error (LEARN-2, LEARN-10, LEARN-15, FAIL-5). */
export async function captureLearnings(
  tx: Tx,
  { outcome, task }: Captured,
  { root, prompt }: CaptureSetup,
  now: Date,
): Promise<readonly Learning[]> {
  const overcome = await overcomeFailure(tx, outcome);
  const stated = outcome.claims.memory.learnings;
  const summary = summaryOf(outcome.finalMessage);
  if (stated.length === 0 && !overcome && !isSummarised(summary, outcome)) return [];
  const shown = await getLearnings(tx, await shownIn(tx, outcome.iterationId));
  const files = contextFiles(outcome, task);
  const origin: Origin = {
    outcome,
    root,
    files,
    taskTags: task?.tags ?? [],
    fixes: overcome?.signatures ?? [],
  };
  const captured: Learning[] = [];
  const repeated: string[] = [];
  const store = async (fields: NewLearning): Promise<void> => {
    const stated = await changeFor(tx, fields, now);
    // No agent stated it as a lesson: records and reports of a run do not have it.
    const change = isSummary(fields) ? { ...stated, by: "ralph" as const } : stated;
    await putLearnings(tx, [change], { runId: outcome.runId, now });
    if (change.change === "captured") captured.push(change.learning);
  };
  for (const one of substantive(stated)) {
    if (isRestated(one.text, prompt, shown)) repeated.push(one.text);
    else await store(await learningOf(one, one.text, origin));
  }
  await linkFixes(tx, { repeated, shown, origin, now });
  // A learning that the agent stated is linked to the error. Only without one is a fix built from facts.
  const isNew = overcome && captured.length + (await knownFixes(tx, overcome)) === 0;
  const fix = isNew && addsFacts(summary, repeated) ? fixOf(overcome, origin, summary) : undefined;
  if (fix) await store(fix);
  else if (isSummarised(summary, outcome) && !isRestated(summary, prompt, [...shown, ...captured]))
    await store(await summaryLesson(origin, summary));
  return captured;
}

type Substantive = StatedLearning & { readonly text: SafeText };

/** Returns the first learnings that say something. */
function substantive(stated: readonly StatedLearning[]): readonly Substantive[] {
  const safe = stated.slice(0, perIteration).map((one) => ({ ...one, text: storableText(one.text) }));
  return safe.filter(({ text }) => isSubstantive(text));
}

/** Reports whether a verified attempt said something in its final message, beside the lessons that it stated (LEARN-15). */
function isSummarised(summary: string, { name, verification, work }: Outcome): boolean {
  return summary !== "" && name === "done" && verification === "passed" && work.changed;
}

async function summaryLesson(origin: Origin, text: SafeText): Promise<NewLearning> {
  return learningOf({ category: summaryCategory, tags: [], topic: null, text }, text, {
    ...origin,
    fixes: [],
  });
}

/** Reports whether the agent said anything of its own: one that only repeated its prompt adds nothing to the facts. */
function addsFacts(summary: string, repeated: readonly string[]): boolean {
  return summary !== "" || repeated.length === 0;
}

interface Repeated {
  readonly repeated: readonly string[];
  readonly shown: readonly Learning[];
  readonly origin: Origin;
  readonly now: Date;
}

/**
 * Links the learnings that the agent repeated to the errors that the attempt ended; not one of a person's, from which a purge
 * of the run could not remove the link.
 */
async function linkFixes(tx: Tx, { repeated, shown, origin, now }: Repeated): Promise<void> {
  const { taskId, runId } = origin.outcome;
  for (const learning of new Set(repeated.flatMap((text) => restatedLearning(text, shown) ?? []))) {
    const added = origin.fixes.filter((signature) => !learning.fixes.includes(signature));
    if (added.length === 0 || isPersons(learning)) continue;
    const linked = { ...learning, fixes: [...learning.fixes, ...added], updatedAt: now.toISOString() };
    const detail = { task: taskId, fixes: [...added] };
    await putLearnings(tx, [{ learning: linked, change: "strengthened", by: "agent", detail }], {
      runId,
      now,
    });
  }
}

async function knownFixes(tx: Tx, { signatures }: OvercomeFailure): Promise<number> {
  const [last] = signatures;
  return last === undefined ? 0 : (await findFixes(tx, last, 1)).length;
}

/** The attempt that a learning comes from. */
interface Origin {
  readonly outcome: Outcome;
  readonly root: string;
  readonly files: readonly SafeText[];
  readonly taskTags: readonly string[];
  readonly fixes: readonly RedactedText[];
}

async function learningOf(
  stated: StatedLearning,
  text: SafeText,
  { outcome, root, files, taskTags, fixes }: Origin,
): Promise<NewLearning> {
  return {
    ...splitLesson(text),
    category: storableName(stated.category) || safe`other`,
    topic: storableName(stated.topic ?? "") || null,
    when: storableWhen(stated.when ?? ""),
    tags: tidyTags([...stated.tags, ...taskTags, ...contextTags(outcome, files, text)]),
    files,
    citations: await citeFiles(root, `${text} ${stated.tags.join(" ")}`),
    fixes,
    provenance: provenanceOf(outcome),
  };
}

function fixOf(overcome: OvercomeFailure, origin: Origin, summary: string): NewLearning | undefined {
  const { outcome, files, taskTags } = origin;
  const built = fixLesson(overcome, outcome, summary);
  if (!built) return undefined;
  const { lesson } = built;
  return {
    ...built,
    category: safe`debugging_technique`,
    topic: storableName(overcome.category),
    tags: tidyTags([overcome.category, ...taskTags, ...contextTags(outcome, files, lesson)]),
    files,
    provenance: provenanceOf(outcome),
  };
}

/** Returns the first lines of the agent's message that are neither tags nor code; "" when they say nothing substantive. */
function summaryOf(message: string): SafeText {
  const lines = message.split("\n");
  const plain = lines.filter((line) => line.trim() !== "" && !/^\s*[<`#|]/.test(line));
  const summary = oneLine(storableText(plain.slice(0, 4).join(" ")));
  return isSubstantive(summary) ? clip(summary, 400) : safe``;
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

/**
 * Returns a new learning, or the existing one with the same words, strengthened. To a proven one nothing is added but that it was said
 * again, and to one of an agent's the error that the attempt ended: no purge takes the agent's word out of it.
 */
async function changeFor(tx: Tx, fields: NewLearning, now: Date): Promise<LearningChange> {
  const old = await findByHash(tx, contentHash(fields.lesson, fields.detail ?? ""));
  const ended = old && (await archivedBy(tx, old))?.change;
  // A lesson that expired unproven, or that a refuted attempt believed, starts over when it is stated again.
  if (!old || ended === "expired" || ended === "refuted")
    return { learning: await newLearning(tx, fields, now), change: "captured", by: "agent" };
  // A learning pruned by age is useful after all when it is stated again; one that a person removed stays removed.
  const revived = ended === "pruned";
  // Stored with a tool and stated again in the final message: one session counts once.
  const isSameSession =
    old.provenance.iterationId !== null && old.provenance.iterationId === fields.provenance.iterationId;
  const learning: Learning = {
    ...old,
    ...(revived ? { status: "active", prunedAt: null } : {}),
    timesSeen: old.timesSeen + (isSameSession ? 0 : 1),
    tags: isProven(old) ? old.tags : tidyTags([...old.tags, ...(fields.tags ?? [])]),
    when: isProven(old) ? old.when : old.when || redactedText(fields.when ?? ""),
    fixes: isPersons(old) ? old.fixes : [...new Set([...old.fixes, ...(fields.fixes ?? [])])],
    updatedAt: now.toISOString(),
  };
  const detail = { task: fields.provenance.task, timesSeen: learning.timesSeen, revived };
  return { learning, change: "strengthened", by: "agent", detail };
}

/**
 * Archives the success patterns that an attempt stated whose verification then failed: they are what it believed (LEARN-12). What it found
 * to go wrong stays.
 */
export async function archiveRefuted(tx: Tx, outcome: Outcome, now: Date): Promise<void> {
  const { name, verification, iterationId, runId } = outcome;
  if (name === "done" || (verification !== "failed" && verification !== "no_change")) return;
  const stated = await listLearnings(tx, { status: ["active", "stale"], runId });
  const believed = stated.filter(
    ({ provenance, category, ...learning }) =>
      provenance.iterationId === iterationId &&
      /^success/i.test(category) &&
      !isProven({ ...learning, provenance }),
  );
  await pruneLearnings(tx, believed, { runId, now }, "refuted");
}
