import { messageOf } from "../../base/errors.ts";
import type { Reader } from "../../store/port/db.ts";
import { type Health, readHealth } from "../port/health-store.ts";
import { swarmPlace } from "../port/hivemind-settings.ts";
import { countEntries } from "./entry-store.ts";
import { readHivemind } from "./open-hivemind.ts";
import { countShared } from "./shared-memory-store.ts";

/** How long a status waits for a lock. */
const deadlineMs = 200;

/** The state of the memory that projects share, for `ralph status` (IF-3). */
export interface HivemindStatus extends Health {
  readonly store: string;
  /** Null: it cannot be read now, or the program `swarm` keeps the records. */
  readonly records: number | null;
  readonly projects: number | null;
  /** Records of this project in it, and those that wait to be stored there. */
  readonly shared: number;
  readonly pending: number;
  /** Why it cannot be read now; null: it can. */
  readonly problem: string | null;
}

/** Where this project has records, somebody moved or deleted the file. */
const missing = (path: string): string =>
  `the hivemind ${path} is not available: it is missing; the next run that has something for it creates a new one`;

/** Returns how the project's hivemind is. `path` is its file, or `swarm`. Only reads. */
export async function hivemindStatus(q: Reader, path: string): Promise<HivemindStatus> {
  const { sent, pending } = await countEntries(q);
  const own = { store: path, shared: sent, pending, ...(await readHealth(q, "hivemind")) };
  // A program is not asked: it may take seconds.
  if (path === swarmPlace) return { ...own, records: null, projects: null, problem: null };
  try {
    const counts = await readHivemind({ path, deadlineMs }, countShared);
    if (!counts && sent > 0) return { ...own, records: null, projects: null, problem: missing(path) };
    const { records, projects } = counts ?? { records: 0, projects: 0 };
    return { ...own, records, projects, problem: null };
  } catch (error) {
    return { ...own, records: null, projects: null, problem: messageOf(error) };
  }
}
