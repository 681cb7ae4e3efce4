import type { RedactedText } from "../../base/safe-text.ts";
import { openMemory } from "../../memory/memory.ts";
import type { Memory } from "../../memory/port/memory.ts";
import type { Synthesize } from "../../memory/port/memory-kind.ts";
import { difficultyOf } from "../../strategy/task-metrics.ts";
import type { Project, Session } from "../shell/command.ts";
import { hivemindOf } from "./hivemind-of.ts";
import { journalSettings } from "./journal-settings.ts";

/** Opens the project's journals alone, for people: memory that is switched off does not hide them. */
export function journalsOf({
  root,
  db,
  loaded,
}: Pick<Project, "root" | "db" | "loaded">): NonNullable<Memory["journals"]> {
  const unused = { enabled: false, learnings: { max: 0, holdout: 0 }, now: () => new Date() };
  const journal = journalSettings(root, loaded.settings.journal);
  const { journals } = openMemory({ ...unused, db, root, journal, log: { publish: () => undefined } });
  if (!journals) throw new Error("the project has no journals");
  return journals;
}

/** Opens the project's memory with its settings. `holdout: 0` shows learnings in every prompt, as for a preview. */
export function memoryOf(
  { clock }: Pick<Session, "clock">,
  project: Project,
  {
    holdout,
    noteSession,
    synthesize = null,
  }: {
    readonly holdout: number;
    readonly noteSession: RedactedText;
    readonly synthesize?: Synthesize | null;
  },
): Memory {
  const { root, db, log } = project;
  const { memory, learnings, skills, journal } = project.loaded.settings;
  return openMemory({
    db,
    log,
    root,
    session: noteSession,
    recordsDir: learnings.dir,
    now: () => clock.now(),
    enabled: memory.enabled,
    maintenance: { summarizeAbove: memory.summarizeAbove, prune: memory.prune, difficultyOf },
    hivemind: hivemindOf(project),
    skills: skills.enabled ? skills : null,
    aggregateEvery: skills.aggregateEvery,
    journal: journalSettings(root, journal),
    writesContext: true,
    synthesize,
    learnings: { ...{ max: memory.maxLearnings, holdout }, asksAgent: memory.select === "agent" },
  });
}

/** A run of more tasks leaves memory out of a share of its iterations, unless a person chose another. */
const measured = { tasks: 20, share: 0.1 };

/** Returns the share of a run's iterations that get no learnings, so that their effect is measured (LEARN-6). */
export function holdoutShare(
  chosen: number | null,
  { pending, in_progress: begun }: { readonly pending: number; readonly in_progress: number },
): number {
  return chosen ?? (pending + begun > measured.tasks ? measured.share : 0);
}
