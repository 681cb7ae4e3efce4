import type { Settings } from "../../config/settings.ts";
import { type Memory, openMemory } from "../../memory/memory.ts";
import { difficultyOf } from "../../strategy/task-metrics.ts";
import type { Project, Session } from "../shell/command.ts";
import { endpointOf } from "./embedding-endpoint.ts";

/** The project's memory as its settings want it. `holdout: false` where a prompt is only looked at. */
export function memoryOf(
  { clock }: Pick<Session, "clock">,
  { root, db, log }: Pick<Project, "root" | "db" | "log">,
  settings: Settings,
  { holdout }: { readonly holdout: boolean },
): Memory {
  const { memory } = settings;
  return openMemory({
    db,
    log,
    root,
    now: () => clock.now(),
    enabled: memory.enabled,
    maintenance: { summarizeAbove: memory.summarizeAbove, prune: memory.prune, difficultyOf },
    embeddings: endpointOf(settings),
    learnings: { max: memory.maxLearnings, holdout: holdout ? memory.holdout : 0 },
  });
}
