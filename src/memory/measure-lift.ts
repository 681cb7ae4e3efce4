import type { Reader } from "../store/db.ts";
import { type Lift as Measured, measureLift } from "./learnings/measure/lift.ts";

export type Lift = Measured;

/** Measures the benefit of memory by its hold-outs; `since` an ISO 8601 time. */
export async function liftOf(q: Reader, since: string | null): Promise<Lift> {
  return measureLift(q, since);
}
