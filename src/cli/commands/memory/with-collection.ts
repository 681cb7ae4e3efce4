import { RalphError } from "../../../base/errors.ts";
import { findProjectWithStore } from "../../../config/find-project.ts";
import {
  type HivemindCollection,
  openHivemindActions,
  openHivemindCollection,
} from "../../../memory/hivemind-actions.ts";
import {
  type LearningActions,
  type LearningView,
  openLearningActions,
} from "../../../memory/learning-actions.ts";
import { type MemoryActions, openMemoryActions } from "../../../memory/memory-actions.ts";
import { hivemindOf, requireHivemind, withoutOrigin } from "../../project/hivemind-of.ts";
import type {
  CommandSpec,
  Invocation,
  OptionSpec,
  OptionValue,
  Project,
  Session,
} from "../../shell/command.ts";
import { optionalText, textOption, textOptions, usageError } from "../../shell/io.ts";
import { readStream } from "../../shell/read-stream.ts";

/** The work of a command in a project's memory, and in the hivemind; `id` is "" where it takes none. */
interface Collections {
  project(session: Session, project: Project, id: string, options: Invocation["options"]): Promise<void>;
  hivemind(session: Session, records: HivemindCollection, id: string): Promise<void>;
}

/**
 * Opens the collection that a command line means: the hivemind with `--collection hivemind`, for an id of one of its
 * records and where no project is; otherwise the project's memory (HIVE-5). `create`: with a store, if there is none.
 *
 * @throws RalphError `RALPH_HIVEMIND_OFF`, and those of `openProject` but for a missing project
 */
export async function withCollection(
  session: Session,
  { args, options }: Invocation,
  work: Collections,
  create = false,
): Promise<void> {
  scopeOption(options["collection"]);
  const id = textOption(args["id"]);
  const isMeant = options["collection"] === hivemindName || isRecordId(id);
  const project = await projectHere(session, create && !isMeant);
  try {
    if (project && !isMeant) return await work.project(session, project, id, options);
    return await work.hivemind(session, await collectionOf(session, project), id);
  } finally {
    await project?.close();
  }
}

/** Returns the `run` of a command that does nothing before the collection is open. */
export function inCollection(work: Collections): CommandSpec["run"] {
  return (session, invocation) => withCollection(session, invocation, work);
}

/** Reports whether an id is that of a record of the hivemind, and of no memory of the project. */
export function isRecordId(id: string): boolean {
  return /^(?:h-|mem[-_])/.test(id);
}

/**
 * Returns the learning of an id; with `--collection`, only if it is in that part of the project's memory.
 *
 * @throws RalphError `RALPH_MEMORY_UNKNOWN`
 */
export async function inScope(
  actions: LearningActions,
  id: string,
  options: Invocation["options"],
): Promise<LearningView> {
  const learning = await actions.get(id);
  const scope = scopeOption(options["collection"]);
  if (scope === null || learning.scope === scope) return learning;
  throw new RalphError("RALPH_MEMORY_UNKNOWN", `unknown learning ${id} in the collection ${scope}`, {
    hint: `leave out --collection: ${id} is in ${learning.scope}`,
  });
}

/** Refuses options that only learnings have, where a command acts on the hivemind. Throws `RALPH_USAGE`. */
export function refuseLearningOptions(options: Invocation["options"], names: readonly string[]): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw usageError(
    `--${given} is for learnings: records of the hivemind have tags only`,
    "use tags in its place",
  );
}

const withoutProject = ["RALPH_PROJECT_MISSING", "RALPH_STORE_MISSING"];

/** Opens the project around the session's folder; null where there is none, or none that ralph was used in. */
async function projectHere(session: Session, create: boolean): Promise<Project | null> {
  try {
    return await session.openProject({ create });
  } catch (error) {
    if (!(error instanceof RalphError && withoutProject.includes(error.code))) throw error;
    return null;
  }
}

async function collectionOf(session: Session, project: Project | null): Promise<HivemindCollection> {
  const root = findProjectWithStore(session.cwd)?.root;
  const loaded = project?.loaded ?? (await session.loadSettings());
  const settings = requireHivemind({ root: root ?? session.cwd, loaded });
  const hivemind = root === undefined ? withoutOrigin(settings) : settings;
  return openHivemindCollection({ hivemind, db: project?.db ?? null, now: () => session.clock.now() });
}

/** Opens the memory of every kind of an open project. */
export function memoryActions(session: Session, project: Project): MemoryActions {
  const { root, db, loaded } = project;
  const hivemind = hivemindOf(project);
  const recordsDir = loaded.settings.learnings.dir;
  return openMemoryActions({
    db,
    recordFiles: { root, recordsDir, hivemind: hivemind?.path ?? null },
    now: () => session.clock.now(),
    hivemind,
  });
}

/** Opens the learnings of an open project. */
export function learningActions(session: Session, project: Project): LearningActions {
  return openLearningActions({ ...project, now: () => session.clock.now() });
}

/** Opens the actions on the memory that projects share. Throws `RALPH_HIVEMIND_OFF`. */
export async function hivemindActions(
  session: Session,
  project: Project,
): Promise<Awaited<ReturnType<typeof openHivemindActions>>> {
  return openHivemindActions({
    db: project.db,
    hivemind: requireHivemind(project),
    now: () => session.clock.now(),
  });
}

const hivemindName = "hivemind";

/** The option that selects a part of memory. */
export const collectionOption: OptionSpec = {
  flags: "--collection <name>",
  description: "hivemind, or a named part of the project's memory (default: project)",
};

/** Returns the scope of a collection; null without one, and for the hivemind. Throws `RALPH_USAGE`. */
export function scopeOption(value: OptionValue): string | null {
  const name = optionalText(value);
  if (name === undefined || name === hivemindName) return null;
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(
      `invalid --collection ${JSON.stringify(name)}: expected a name`,
      "use at most 64 letters, digits, dots, dashes and underscores",
    );
  }
  return name === "default" ? "project" : name;
}

/** Returns the values of a list option: separated by commas, repeated, or both. */
export function listOption(value: OptionValue): readonly string[] {
  return textOptions(value)
    .flatMap((text) => text.split(","))
    .flatMap((text) => text.trim() || []);
}

/** As `listOption`, without quotes. */
export function tagsOption(value: OptionValue): readonly string[] {
  return listOption(value).flatMap((tag) => tag.replace(/["'`]/g, "").trim() || []);
}

/** Reads standard input. Throws `RALPH_USAGE` above 200 MB. */
export async function readInput({ around }: Session): Promise<string> {
  const text = await readStream(around.stdin, 200_000_000);
  if (text === null) throw usageError("standard input is larger than 200 MB", "import it in parts");
  return text;
}
