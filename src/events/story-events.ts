import type { JsonObject } from "../base/json.ts";
import { clip } from "../base/text.ts";
import type { Tx } from "../store/db.ts";
import { record } from "./outbox-store.ts";

/** Fields of the five events that older tools watch a run by (CTX-2). Durations are milliseconds. */
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
  /** The run came to an end of its own: nothing is ready any more, or a limit was reached. */
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
  /** It was stopped, or could not go on. */
  loop_error: {
    readonly error: string;
    readonly storiesCompleted: number;
    readonly lastStory: { readonly id: string; readonly title: string } | null;
  };
}

interface StoryContext {
  readonly runId: string | null;
  /** The project. */
  readonly root: string;
}

const maxTextChars = 1000;

/** Notes one of them in the transaction of what it tells of. */
export async function recordStory<T extends keyof StoryEvents>(
  tx: Tx,
  { runId, root }: StoryContext,
  { type, ...told }: { readonly type: T } & StoryEvents[T],
  now: Date,
): Promise<void> {
  const clipped = Object.entries(told).map(([name, value]) => [
    name,
    typeof value === "string" ? clip(value, maxTextChars) : value,
  ]);
  const data = { ...Object.fromEntries(clipped), workdir: root } as JsonObject;
  await record(tx, { type, runId, data }, now);
}
