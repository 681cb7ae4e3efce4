import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { fence } from "../../trust/fence.ts";
import type { Story, StoryFailure } from "./read-context.ts";

/** The results of other tasks and the latest events, for the prompt of one task. */
export interface ContextParts {
  /** Newest first, like `failures`. */
  readonly stories: readonly Story[];
  readonly failures: readonly StoryFailure[];
  /** Each event on one line, oldest first. */
  readonly events: readonly SafeText[];
  /** The end of PROGRESS.md; "" for none. */
  readonly progress: SafeText;
}

/** How much of each part is shown, the most first. */
const amounts = [
  { stories: 6, failures: 4, progress: 800 },
  { stories: 4, failures: 3, progress: 500 },
  { stories: 3, failures: 2, progress: 250 },
  { stories: 2, failures: 1, progress: 0 },
  { stories: 1, failures: 0, progress: 0 },
] as const;
/** Maximum number of stories that are shown. */
export const shownAtMost: number = amounts[0].stories;
const detailChars = 160;

/**
 * Renders the parts as data in at most `room` characters, with less of each when it is short; "" if the room is too small.
 * Agents choose titles of tasks, names of files and the words of errors.
 */
export function renderContext(parts: ContextParts, seed: string, room: number): SafeText {
  for (const amount of amounts) {
    const lines = linesOf(parts, amount);
    const text = lines.length === 0 ? safe`` : fence(joinSafe(lines, "\n"), seed);
    if (text !== "" && text.length <= room) return text;
  }
  return safe``;
}

function linesOf(
  { stories, failures, events, progress }: ContextParts,
  amount: (typeof amounts)[number],
): readonly SafeText[] {
  const end = amount.progress === 0 ? safe`` : progress.slice(-amount.progress).toWellFormed();
  return [
    ...stories.slice(0, amount.stories).map(storyLine),
    ...failures
      .slice(0, amount.failures)
      .map(
        ({ storyId, category, error }) =>
          safe`- ${storyId} failed (${category}): ${clip(error, detailChars)}`,
      ),
    ...(events.length > 0 ? [safe`- last events: ${joinSafe(events, ", ")}`] : []),
    ...(end.trim() === "" ? [] : [safe`- the end of PROGRESS.md:\n${end}`]),
  ];
}

/** Without its learnings: hold-outs, quarantine and the learnings' own section decide where those are shown. */
function storyLine({ id, title, status, filesModified }: Story): SafeText {
  const files = joinSafe(filesModified.slice(0, 5), ", ");
  const changed = files === "" ? "" : safe`; files: ${clip(files, detailChars)}`;
  return safe`- ${id} ${status}: ${clip(title, 80)}${changed}`;
}
