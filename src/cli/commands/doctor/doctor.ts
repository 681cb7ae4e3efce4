import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { findProject, findProjectWithStore } from "../../../config/find-project.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
import { examineIndex, recreateIndex } from "../../../memory/repair-index.ts";
import { backupsIn } from "../../../store/backups.ts";
import type { Db } from "../../../store/port/db.ts";
import { safeJson, safeText } from "../../../trust/safe-text.ts";
import { preparePrivateFolder } from "../../project/private-folder.ts";
import { backupFolder, storePath } from "../../project/store-path.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { type Check, passed } from "./check.ts";
import { checkFileModes, repairFileModes } from "./file-modes-check.ts";
import {
  checkCommits,
  checkDisk,
  checkGit,
  checkIsolation,
  checkNode,
  checkRemote,
} from "./machine-checks.ts";
import {
  checkAgents,
  checkApprovals,
  checkConfig,
  checkSkills,
  describeOtherAgents,
} from "./project-checks.ts";
import { repairStore } from "./repair-store.ts";
import { checkIndex, checkRun, checkStore, describeRun, type StorePlace } from "./store-checks.ts";
import { checkVerification } from "./verification-check.ts";

/** `ralph doctor`: checks this machine and project and suggests a fix for each problem (UX-1). */
export const command: CommandSpec = {
  description:
    "Checks Node, git, the disk, isolation, the configuration, the agents, approvals, the store and permissions, and suggests a fix for each problem. Exits with 0 when no check failed, otherwise 5.",
  examples: ["ralph doctor", "ralph doctor --repair", "ralph doctor --json"],
  options: [
    { flags: "--repair", description: "restore a lost or damaged store from its backup; fix permissions" },
  ],
  run: async (session, { options }) => {
    const repairs = options["repair"] === true ? await repair(session) : [];
    const checks = [...repairs, ...(await runChecks(session))];
    if (session.json) session.out(safeJson(checks));
    else print(session, checks);
    return checks.some(({ status }) => status === "fail") ? 5 : 0;
  },
};

const marks: Readonly<Record<Check["status"], string>> = { ok: "✓", warn: "!", fail: "✗" };

function print(session: Session, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ check }) => check.length)) + 2;
  for (const { check, status, detail, hint } of checks) {
    session.out(safeText(`${marks[status]} ${check.padEnd(width)}${detail}`));
    if (hint !== null) session.out(safeText(`  ${" ".repeat(width)}hint: ${hint}`));
  }
  const failed = checks.filter(({ status }) => status === "fail").length;
  const warned = checks.filter(({ status }) => status === "warn").length;
  const ends =
    failed > 0
      ? safe`${failed} failed, ${count(warned, "warning")}`
      : safe`no check failed, ${count(warned, "warning")}`;
  session.note(ends);
}

async function runChecks(session: Session): Promise<readonly Check[]> {
  const root = findProject(session.cwd)?.root ?? session.cwd;
  const { loaded, check: config } = await checkConfig(session);
  const [git, commits, remote, disk, isolation, agents, others, skills, project] = await Promise.all([
    checkGit(root, childEnvironment()),
    loaded ? checkCommits(root, loaded) : [],
    loaded ? checkRemote(root, loaded) : [],
    checkDisk(root),
    checkIsolation(root, loaded),
    loaded ? checkAgents({ root, loaded }) : [],
    loaded ? describeOtherAgents({ root, loaded }) : [],
    loaded ? checkSkills({ root, loaded }) : [],
    projectChecks(findProjectWithStore(session.cwd)?.root ?? root, loaded),
  ]);
  const { isBusy } = project;
  const verification = loaded ? [await checkVerification(session, { root, loaded, isBusy })] : [];
  const machine = [checkNode(), git, commits, remote, disk, isolation];
  return [...machine, config, agents, others, verification, skills, project.checks].flat();
}

async function projectChecks(
  root: string,
  loaded: LoadedSettings | null,
): Promise<{ readonly checks: readonly Check[]; readonly isBusy: boolean }> {
  const place = placeOf(root, loaded);
  const { check, db, activeRun } = await checkStore(place);
  const isBusy = activeRun !== null;
  const permissions = await checkFileModes(root);
  if (!db) return { checks: [check, permissions], isBusy };
  try {
    const approvals = loaded ? [await checkApprovals({ root, db, loaded })] : [];
    const stored = [check, describeBackups(place.backups), await checkIndex(db), await checkRun(db)];
    return { checks: [...stored, ...approvals, permissions], isBusy };
  } finally {
    await db.close();
  }
}

function describeBackups(folder: string): Check {
  const [newest] = backupsIn(folder);
  const detail = newest ? `the newest is of ${newest.at}` : "none yet: the first run's end makes one";
  return passed({ check: "backups", detail });
}

/**
 * Repairs a damaged or missing store, its search index and the permissions of `.ralph`.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE` while a run is active, and those of `repairStore`.
 */
async function repair(session: Session): Promise<readonly Check[]> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined) return [];
  const place = placeOf(root, (await checkConfig(session)).loaded);
  const { db, needsRestore, activeRun } = await checkStore(place);
  const index = db && !activeRun ? await repairIndexIn(db) : [];
  await db?.close();
  if (activeRun) {
    throw new RalphError("RALPH_RUN_ACTIVE", `cannot repair during a run: ${describeRun(activeRun)}`, {
      hint: "wait for it to end, or run `ralph stop`",
    });
  }
  if (needsRestore) await preparePrivateFolder(root);
  const restored = needsRestore ? [await repairStore({ root, ...place }, session.clock.now())] : [];
  const closed = await repairFileModes(root);
  const detail = `removed other users' access to ${count(closed, "file")} in .ralph`;
  const done = [...restored, ...index, ...(closed > 0 ? [passed({ check: "repair", detail })] : [])];
  return done.length > 0 ? done : [passed({ check: "repair", detail: "nothing to repair" })];
}

async function repairIndexIn(db: Db): Promise<readonly Check[]> {
  const { documents, isComplete } = await examineIndex(db);
  if (isComplete) return [];
  await recreateIndex(db);
  return [passed({ check: "repair", detail: `rebuilt the memory index: ${documents || "0 learnings"}` })];
}

function placeOf(root: string, loaded: LoadedSettings | null): StorePlace {
  const path = storePath(root, loaded);
  return { path, backups: backupFolder(root, path) };
}
