import { RalphError } from "../../../base/errors.ts";
import { findProjectWithStore } from "../../../config/find-project.ts";
import { type HivemindCollection, openHivemindCollection } from "../../../memory/hivemind-actions.ts";
import type { LearningActions, LearningView } from "../../../memory/learning-actions.ts";
import { requireHivemind, withoutOrigin } from "../../project/hivemind-of.ts";
import type { Invocation, Project, Session } from "../../shell/command.ts";
import { textOption } from "../../shell/option-values.ts";
import { usageError } from "../../shell/usage-error.ts";
import { hivemindName, scopeOption } from "./options.ts";

/** The actions of a command in a project's memory, and in the hivemind. */
interface Collections<T> {
  project(project: Project): Promise<T>;
  hivemind(records: HivemindCollection): Promise<T>;
}

interface Selection extends Pick<Invocation, "args" | "options"> {
  /** Creates the project's store if there is none. */
  readonly create?: boolean;
}

/**
 * Opens the collection that a command line means: the hivemind with `--collection hivemind`, for an id of one of its
 * records and where no project is; otherwise the project's memory (HIVE-5).
 *
 * @throws RalphError `RALPH_HIVEMIND_OFF`, and those of `openProject` but for a missing project
 */
export async function withCollection<T>(
  session: Session,
  { args, options, create = false }: Selection,
  work: Collections<T>,
): Promise<T> {
  scopeOption(options["collection"]);
  const isMeant = options["collection"] === hivemindName || isRecordId(textOption(args["id"]));
  const project = await projectHere(session, create && !isMeant);
  try {
    if (project && !isMeant) return await work.project(project);
    return await work.hivemind(await collectionOf(session, project));
  } finally {
    await project?.close();
  }
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

/**
 * Refuses options that only learnings have, where a command acts on the hivemind.
 *
 * @throws RalphError `RALPH_USAGE`
 */
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
