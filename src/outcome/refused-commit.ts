import { fixed } from "../base/safe-text.ts";
import { nameSome } from "../base/text.ts";
import { redactedText } from "../trust/safe-text.ts";
import { classify, errorTypeOf } from "./classify.ts";
import { extractError } from "./extract-error.ts";
import { type CheckResult, messageHooks, type Outcome, refusedMessage } from "./outcome.ts";
import { errorSignature } from "./signature.ts";

/** The refusal of a commit by a hook of the repository. */
export interface Refusal {
  readonly hook: string;
  /** Null: the hook timed out. */
  readonly exitCode: number | null;
  readonly output: string;
}

/** Returns what a person can do about a refusal that no further attempt would change; null: an agent can fix the work. */
export function wayOutOfRefusal(
  { hook }: Refusal,
  task: { readonly id: string; readonly commitTemplate: string | null },
): string | null {
  if (!messageHooks.has(hook)) return null;
  const setting =
    task.commitTemplate === null ? "commit.template in .ralph/config.yaml" : "the task's commit_template";
  return `set ${setting} to what the hook accepts, such as "feat: {title}", then run: ralph task retry ${task.id}`;
}

/** Reports whether a hook refused the message of the attempt's commit: its work was verified. */
export function isMessageRefused({ checks }: Pick<Outcome, "checks">): boolean {
  const last = checks.at(-1);
  return [...messageHooks].some((hook) => last?.command === commandOf(hook));
}

function commandOf(hook: string): string {
  return `git commit (${hook} hook)`;
}

/**
 * Converts a verified attempt into a failed one when a hook refuses its commit (LOOP-21). The hook counts as one more
 * verification command, and its output is the error.
 */
export function refusedByHook(outcome: Outcome, { hook, exitCode, output }: Refusal): Outcome {
  const command = commandOf(hook);
  const ended = exitCode === null ? "timed out" : `exit code ${exitCode}`;
  const excerpt = extractError(redactedText(output));
  const text = `${ended}\n${excerpt}`;
  const category = fixed(exitCode === null ? "timeout" : classify({ command: hook, text }));
  const ran = { command, passed: false, reason: ended, exitCode, durationMs: 0, excerpt };
  const check: CheckResult = { ...ran, cannotRun: null };
  const ofMessage = messageHooks.has(hook);
  const refused = ofMessage ? refusedMessage(hook) : `the ${hook} hook refused the commit: `;
  return failed(outcome, {
    category,
    // No change of the project ends a refusal of the message: what passes later does not fix it.
    signature: ofMessage ? null : errorSignature(category, excerpt || `${command}\n${ended}`),
    reason: `${refused}${ended}`,
    checks: [...outcome.checks, check],
    errorExcerpt: excerpt,
  });
}

type Failure = Pick<Outcome, "category" | "signature" | "reason" | "errorExcerpt"> &
  Partial<Pick<Outcome, "checks" | "clashed">>;

function failed(outcome: Outcome, failure: Failure): Outcome {
  const errorType = errorTypeOf(failure.category ?? "");
  return { ...outcome, name: "failed", verification: "failed", errorType, ...failure };
}

/** The category of verified work that conflicts with what landed before it: no fault of the model. */
const mergeConflict = "merge_conflict";

/** Reports whether an attempt with this signature was verified and could not land: it counts as a success of its model. */
export function isMergeConflict(signature: string | null): boolean {
  return signature?.startsWith(`${mergeConflict}:`) === true;
}

/** Verified work and commits of other workers that change the same lines. */
export interface Conflict {
  readonly paths: readonly string[];
  /** Both sides of the conflicting lines. */
  readonly hunks: string;
  /** The commits since the work began, as `hash subject`, newest first. */
  readonly commits: readonly string[];
  /** Where the work waits. */
  readonly ref: string;
}

/** Converts a verified attempt into a failed one, as its work conflicts with what landed meanwhile. */
export function refusedByConflict(outcome: Outcome, { paths, hunks, commits, ref }: Conflict): Outcome {
  const files = nameSome(paths, 5);
  return failed(outcome, {
    clashed: true,
    category: fixed(mergeConflict),
    signature: errorSignature(mergeConflict, files),
    reason: `it was verified, but conflicts in ${files} with work that landed meanwhile (${nameSome(commits, 3)}); \`git show ${ref}\` has it`,
    errorExcerpt: extractError(redactedText(hunks)),
  });
}

/** The commit that work was verified on, and the commits since. */
type Landed = { readonly base: string } & Pick<Conflict, "commits">;

/** Converts a verified attempt into a failed one, as nothing of its work is left to land. */
export function refusedAsGone(outcome: Outcome, { base, commits }: Landed): Outcome {
  return failed(outcome, {
    clashed: true,
    category: fixed(mergeConflict),
    signature: errorSignature(mergeConflict, "gone"),
    reason: `nothing of its work on ${base.slice(0, 10)} differs from what landed meanwhile (${nameSome(commits, 3)})`,
    errorExcerpt: redactedText(""),
  });
}

/** Converts an attempt that passed at an older commit into a failed one, as verification fails together with what landed meanwhile. */
export function refusedTogether(
  outcome: Outcome,
  { checks, base, commits }: Landed & { readonly checks: readonly CheckResult[] },
): Outcome {
  const { command = "", excerpt = "", reason: why = "" } = checks.find(({ passed }) => !passed) ?? {};
  const category = classify({ command, text: excerpt });
  const safe = redactedText(excerpt);
  return failed(outcome, {
    clashed: true,
    category: fixed(category),
    signature: errorSignature(category, safe || `${command}\n${why}`),
    reason: `verification passed on ${base.slice(0, 10)}, but fails together with ${nameSome(commits, 3)}: ${command}: ${why}`,
    checks,
    errorExcerpt: extractError(safe),
  });
}
