import { readFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import type { RedactedText, SafeText } from "../../base/safe-text.ts";
import { latestIteration } from "../../loop/rows/iteration-store.ts";
import { openRuns } from "../../loop/rows/run-store.ts";
import { sessionName, sessionNameOf } from "../../memory/note-actions.ts";
import type { Reader } from "../../store/port/db.ts";
import type { OptionValue } from "../shell/command.ts";

/** Returns the named session of notes (NOTE-5): `--name`, else the name of the spec file, else the branch. */
export function sessionOf(root: string, options: Readonly<Record<string, OptionValue>>): SafeText {
  const { name, spec, branch } = options;
  if (typeof name === "string") return sessionName(name);
  if (typeof spec === "string") return sessionName(basename(spec, extname(spec)));
  return sessionName(typeof branch === "string" ? branch : (currentBranch(root) ?? "default"));
}

/**
 * Returns the session that a command acts on: `--name` or `--spec`, else the session of the active run, so that a person
 * reaches a run of a spec without naming it, else the branch.
 */
export async function currentSession(
  db: Reader,
  root: string,
  options: Readonly<Record<string, OptionValue>>,
): Promise<RedactedText> {
  const { name, spec } = options;
  const isNamed = typeof name === "string" || typeof spec === "string";
  return (isNamed ? undefined : await sessionOfActiveRun(db)) ?? sessionOf(root, { name, spec });
}

/** Returns undefined without an active run, and for one that has not begun an iteration. */
async function sessionOfActiveRun(db: Reader): Promise<RedactedText | undefined> {
  const open = await openRuns(db);
  if (open.length === 0) return undefined;
  // Loads process supervision only when a run is open, which keeps the commands quick.
  const { runIsAlive } = await import("../../loop/rows/live-runs.ts");
  const run = open.find(runIsAlive);
  const iterationId = run && (await latestIteration(db, run.id));
  return iterationId === undefined ? (run?.session ?? undefined) : sessionNameOf(db, iterationId);
}

/** Reads HEAD without starting git; undefined without a branch. */
function currentBranch(root: string): string | undefined {
  const folder = join(root, ".git");
  const linked = /^gitdir: (.+)$/m.exec(read(folder))?.[1];
  const head = read(join(linked === undefined ? folder : resolve(root, linked), "HEAD"));
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
