import type { Settings } from "../../config/settings.ts";
import { type Memory, openMemory } from "../../memory/memory.ts";
import { difficultyOf } from "../../strategy/task-metrics.ts";
import type { Project, Session } from "../shell/command.ts";
import { endpointOf } from "./embedding-endpoint.ts";

/** Opens the project's memory with its settings. `holdout: false` shows learnings in every prompt, for previews. */
export function memoryOf(
  { clock }: Pick<Session, "clock">,
  { root, db, log }: Pick<Project, "root" | "db" | "log">,
  settings: Settings,
  { holdout, noteSession }: { readonly holdout: boolean; readonly noteSession: string },
): Memory {
  const { memory } = settings;
  return openMemory({
    db,
    log,
    root,
    session: noteSession,
    now: () => clock.now(),
    enabled: memory.enabled,
    maintenance: { summarizeAbove: memory.summarizeAbove, prune: memory.prune, difficultyOf },
    embeddings: endpointOf(settings),
    learnings: { max: memory.maxLearnings, holdout: holdout ? memory.holdout : 0 },
  });
}
