import { count } from "../../base/text.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { type Guard, keptDestinations } from "../../workspace/guard.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Settings of git that stay as an agent, or a person meanwhile, left them. */
export interface KeptSettings {
  /** Returns a sentence for each that was added since the last call. Call it after `restoreGuardedFiles`. */
  added(): readonly string[];
}

const maxNamed = 10;
const maxNameChars = 80;
const maxValueChars = 200;

/** Watches the remotes, upstreams and submodules that are added to git's configuration: a person who pushes should know of them. */
export function watchDestinations(ws: Workspace, before: Guard): KeptSettings {
  const named = new Set<string>();
  return {
    added: () => {
      const sentences = destinationSentences(ws, before).filter((sentence) => !named.has(sentence));
      for (const sentence of sentences) named.add(sentence);
      return sentences;
    },
  };
}

/** Returns a sentence for each destination that was added since `before`, and one for those that are too many to name. */
export function destinationSentences(ws: Workspace, before: Guard): readonly string[] {
  const kept = keptDestinations(ws, before);
  const more = kept.length - maxNamed;
  return [
    ...kept.slice(0, maxNamed).map(({ path, what, name, values }) => {
      const value = safeLine(values.join(" "), maxValueChars);
      const shown = name === "" ? value : `${safeLine(name, maxNameChars)} (${value})`;
      return `kept ${what} in ${path}: ${shown}; review it before you push`;
    }),
    ...(more > 0
      ? [`kept ${count(more, "more new destination")} of pushes and fetches in git's configuration`]
      : []),
  ];
}
