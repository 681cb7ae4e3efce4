import type { Reader } from "../store/db.ts";
import { type Lift as Measured, measureLift } from "./learnings/measure/lift.ts";

export type Lift = Measured;

/** What memory was worth, by its hold-outs; `since` an ISO 8601 time. */
export async function liftOf(q: Reader, since: string | null): Promise<Lift> {
  return measureLift(q, since);
}
