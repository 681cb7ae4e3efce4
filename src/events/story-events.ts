import type { JsonObject } from "../base/json.ts";
import { clip } from "../base/text.ts";
import type { Tx } from "../store/port/db.ts";
import { record } from "./event-store.ts";

/** Fields of the five events that older tools use to watch a run (CTX-2). Durations are in milliseconds. */
export interface StoryEvents {
  loop_start: { readonly totalStories: number };
  story_complete: {
    readonly storyId: string;
    readonly storyTitle: string;
    readonly filesModified: readonly string[];
    /** Null: nothing was left to commit. */
    readonly commitHash: string | null;
    readonly duration: number;
    readonly summary: string;
  };
  story_failed: {
    readonly storyId: string;
    readonly storyTitle: string;
    readonly error: string;
    readonly category: string;
    readonly duration: number;
  };
  /** The run ended normally: no task is ready, or a limit was reached. */
  loop_complete: {
    /** In this run. */
    readonly storiesCompleted: number;
    readonly totalStories: number;
    readonly duration: number;
    readonly results: readonly {
      readonly storyId: string;
      readonly storyTitle: string;
      readonly success: boolean;
      readonly duration: number;
    }[];
  };
  /** The run was stopped or could not continue. */
  loop_error: {
    readonly error: string;
    readonly storiesCompleted: number;
    readonly lastStory: { readonly id: string; readonly title: string } | null;
  };
}

interface StoryContext {
  readonly runId: string | null;
  /** The project's folder. */
  readonly projectRoot: string;
}

const maxTextChars = 1000;

/** Records a story event in the transaction of the change that it reports. */
export async function recordStory<T extends keyof StoryEvents>(
  tx: Tx,
  { runId, projectRoot }: StoryContext,
  { type, ...fields }: { readonly type: T } & StoryEvents[T],
  now: Date,
): Promise<void> {
  const clipped = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? clip(value, maxTextChars) : value,
  ]);
  const data = { ...Object.fromEntries(clipped), workdir: projectRoot } as JsonObject;
  await record(tx, { type, runId, data }, now);
}
