import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Reader } from "../../store/port/db.ts";
import { type Health, readHealth } from "../port/health-store.ts";
import { journalEnding } from "../port/journal.ts";

/** The state of a project's journals, for `ralph status`: what there is, and the ends of the last uses for an agent. */
export interface JournalStatus extends Health {
  readonly folder: string;
  readonly journals: number;
  /** Size of all of them. */
  readonly bytes: number;
}

/** Returns how the journals in `folder` are. Only reads. */
export async function journalStatus(q: Reader, folder: string): Promise<JournalStatus> {
  const sizes = sizesIn(folder);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { folder, journals: sizes.length, bytes, ...(await readHealth(q, "journal")) };
}

function sizesIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(journalEnding))
      .map(({ name }) => lstatSync(join(folder, name)).size);
  } catch {
    // There is none yet, or it cannot be read: the last use says why.
    return [];
  }
}
