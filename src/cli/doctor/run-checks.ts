import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { childEnvironment } from "../../config/environment.ts";
import { findProject } from "../../config/find-project.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { restoreKilledLog } from "../../events/log-guard.ts";
import { describeDocuments, examineIndex, recreateIndex } from "../../memory/repair-index.ts";
import type { Db } from "../../store/db.ts";
import type { ProjectKey } from "../../trust/project-key.ts";
import { isRemoved } from "../project/after-kill/removed-store.ts";
import { keepStore } from "../project/after-kill/replaced-store.ts";
import { projectKey } from "../project/open-project.ts";
import { preparePrivateFolder } from "../project/private-folder.ts";
import { storePath } from "../project/store-path.ts";
import type { Session } from "../shell/command.ts";
import { type Check, passed, warned } from "./check.ts";
import { checkContext } from "./context-check.ts";
import { checkFileModes, repairFileModes } from "./file-modes-check.ts";
import { checkHivemind } from "./hivemind-check.ts";
import { checkJournal } from "./journal-check.ts";
import { checkLog } from "./log-check.ts";
import { checkDisk, checkGit, checkIsolation, checkNode } from "./machine-checks.ts";
import { describeOtherAgents } from "./other-agents-check.ts";
import { checkAgents, checkApprovals, checkConfig, checkSkills } from "./project-checks.ts";
import { acceptStore } from "./repair/accept-store.ts";
import { ofReplaced } from "./repair/replaced-check.ts";
import { brokenFolder, repairStore } from "./repair-store.ts";
import { checkRows, compareRows, repairRows } from "./rows-check.ts";
import { checkIndex, checkRun, checkStore, describeRun } from "./store-checks.ts";
import { checkVerification } from "./verification-check.ts";

/** Checks the machine and the project around the session's folder. */
export async function runChecks(session: Session): Promise<readonly Check[]> {
  const root = findProject(session.cwd)?.root ?? session.cwd;
  const { loaded, check: config } = await checkConfig(session);
  const [git, disk, isolation, agents, others, skills, project] = await Promise.all([
    checkGit(root, childEnvironment()),
    checkDisk(root),
    checkIsolation(root, loaded),
    loaded ? checkAgents({ root, loaded }) : [],
    loaded ? describeOtherAgents({ root, loaded }) : [],
    loaded ? checkSkills({ root, loaded }) : [],
    projectChecks(root, loaded),
  ]);
  const { isBusy } = project;
  const verification = loaded ? [await checkVerification(session, { root, loaded, isBusy })] : [];
  return [
    checkNode(),
    ...git,
    disk,
    isolation,
    config,
    ...agents,
    ...others,
    ...verification,
    ...skills,
    ...project.checks,
  ];
}

async function projectChecks(
  root: string,
  loaded: LoadedSettings | null,
): Promise<{ readonly checks: readonly Check[]; readonly isBusy: boolean }> {
  const place = placeOf(root, loaded);
  const { check, db, activeRun } = await checkStore(place);
  const isBusy = activeRun !== null;
  const permissions = await checkFileModes(root);
  if (!db) return { checks: [...ofReplaced([check], place), permissions], isBusy };
  try {
    const approvals = loaded ? [await checkApprovals({ root, db, loaded })] : [];
    const hivemind = loaded ? [await checkHivemind({ root, db, loaded })] : [];
    const context = await checkContext(db);
    const journal = loaded ? [await checkJournal({ root, db, loaded })] : [];
    const log = await checkLog(db, place);
    // A run writes both while they are compared.
    const rows = log.status === "ok" && !isBusy ? [await checkRows(db, { root, ...place })] : [];
    const index = await checkIndex(db);
    const stored = [...ofReplaced([check, log, ...rows], place), index, await checkRun(db)];
    return {
      checks: [...stored, ...approvals, permissions, ...hivemind, context, ...journal],
      isBusy,
    };
  } finally {
    await db.close();
  }
}

/**
 * Repairs a damaged or missing store, its search index, the event log and the permissions of `.ralph`.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE` while a run is active, and those of `repairStore`.
 */
export async function repair(session: Session): Promise<readonly Check[]> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined) return [];
  const place = placeOf(root, (await checkConfig(session)).loaded);
  const restored = await restoreRemoved(root, place);
  const { db, needsRebuild, activeRun } = await checkStore(place);
  const index = db && !activeRun ? await repairIndexIn(db) : "intact";
  await db?.close();
  if (activeRun) {
    throw new RalphError("RALPH_RUN_ACTIVE", `cannot repair during a run: ${describeRun(activeRun)}`, {
      hint: "wait for it to end, or run `ralph stop`",
    });
  }
  const rebuilt =
    needsRebuild || index === "unrepairable" ? [await rebuild(session, { root, ...place })] : [];
  const log = await repairLogOrRows(session, { root, ...place });
  const closed = await repairFileModes(root);
  const detail = `removed other users' access to ${count(closed, "file")} in .ralph`;
  const done = [
    ...restored,
    ...rebuilt,
    ...(typeof index === "string" ? [] : [index]),
    ...log,
    ...(closed > 0 ? [passed({ check: "repair", detail })] : []),
  ];
  return done.length > 0 ? done : [passed({ check: "repair", detail: "nothing to repair" })];
}

/** Restores the event log, from which the store is then rebuilt, where both are gone. */
async function restoreRemoved(root: string, place: ReturnType<typeof placeOf>): Promise<readonly Check[]> {
  if (!isRemoved(place)) return [];
  await preparePrivateFolder(root);
  const { history, key } = place;
  if (restoreKilledLog(history, key, true) === undefined) return [];
  return [passed({ check: "repair", detail: `restored ${history} from its copy ${key.logCopy}` })];
}

type FullPlace = ReturnType<typeof placeOf> & { readonly root: string };

/**
 * Repairs the event log from the store, or rows of the store from an intact log, if there is a store. A store that is then as the log
 * says is the project's, also where a rebuild or a person has just put it there.
 */
async function repairLogOrRows(session: Session, place: FullPlace): Promise<readonly Check[]> {
  const { db } = await checkStore(place);
  if (!db) return [];
  const now = session.clock.now();
  const found = await compareWithIntactLog(db, place).finally(() => db.close());
  if (found === null) return [await acceptStore(place, brokenFolder(place.root, now), now)];
  const repaired = found.rows.length > 0 ? [await repairRows(place, now)] : [];
  // An agent that killed ralph may still write to it: the next command compares it.
  if (found.fault === null && place.key.readWork() === null) keepStore(place.key, place.path);
  return repaired;
}

/** Null: the log has a fault. */
async function compareWithIntactLog(
  db: Db,
  place: FullPlace,
): Promise<Awaited<ReturnType<typeof compareRows>> | null> {
  if ((await checkLog(db, place)).status !== "ok") return null;
  return compareRows(db, place);
}

async function repairIndexIn(db: Db): Promise<Check | "intact" | "unrepairable"> {
  if ((await examineIndex(db)).fault === undefined) return "intact";
  try {
    await recreateIndex(db);
    const documents = (await describeDocuments(db)) || "0 learnings";
    return passed({ check: "repair", detail: `rebuilt the memory index: ${documents}` });
  } catch (error) {
    if (error instanceof RalphError && error.code === "RALPH_STORE_INCOMPLETE") return "unrepairable";
    throw error;
  }
}

async function rebuild(session: Session, place: FullPlace): Promise<Check> {
  const { rows, skippedLines, keptIn } = await repairStore(place, session.clock.now());
  const kept = keptIn === null ? "" : `; the damaged store was copied to ${keptIn}`;
  const detail = `rebuilt the store from ${place.history}: ${count(rows, "row")}${kept}`;
  if (skippedLines === 0) return passed({ check: "repair", detail });
  const lines = count(skippedLines, "line");
  return warned(
    { check: "repair", detail: `${detail}; ${lines} of the log could not be read` },
    "check the result with `ralph task list`",
  );
}

function placeOf(
  root: string,
  loaded: LoadedSettings | null,
): { readonly path: string; readonly history: string; readonly key: ProjectKey } {
  const history = join(root, ".ralph", "events.jsonl");
  return { path: storePath(root, loaded), history, key: projectKey(root) };
}
