import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { directories } from "../../config/directories.ts";
import { countTrials } from "../../memory/learning-actions.ts";
import type { TrialCounts } from "../../memory/port/compare-trials.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import type { Project } from "../shell/command.ts";
import { hivemindOf } from "./hivemind-of.ts";

/** Of all a user's projects: a file each, with numbers alone. */
const folder = (): string => join(directories().state, "ralph", "lift");

/** Writes this project's counts of hold-outs for the lift over all projects; not where it shares nothing with others (`hivemind`). */
export async function shareCounts(project: Pick<Project, "db" | "loaded" | "root">): Promise<void> {
  if (hivemindOf(project) === null) return;
  const counts = await countTrials(project.db);
  if (counts.shown + counts.held === 0) return;
  const { state } = directories();
  const file = join(folder(), `${sha256(project.root).slice(0, 16)}.json`);
  await writeFileSafely(file, `${JSON.stringify(counts)}\n`, { root: state, durable: false });
}

/** Returns the counts of the projects that wrote theirs; a file that cannot be read has none. */
export function readCounts(): readonly TrialCounts[] {
  try {
    return readdirSync(folder())
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => countsIn(readFileSync(join(folder(), name), "utf8")) ?? []);
  } catch {
    return [];
  }
}

function countsIn(text: string): TrialCounts | null {
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const { shown, shownPassed, held, heldPassed } = value;
  const counts = { shown, shownPassed, held, heldPassed };
  return Object.values(counts).every(Number.isSafeInteger) ? (counts as TrialCounts) : null;
}
