import type { Reader } from "../../store/port/db.ts";
import { type Health, readHealth } from "../port/health-store.ts";
import { countContext } from "./read-context.ts";

/** The state of `.ralph-context.json`, for `ralph status`: what it holds, and the ends of the last writes. */
export interface ContextStatus extends Health {
  readonly stories: number;
  readonly failures: number;
}

/** Returns how the structured context is. Only reads. */
export async function contextStatus(q: Reader): Promise<ContextStatus> {
  return { ...(await countContext(q)), ...(await readHealth(q, "structured-context")) };
}
