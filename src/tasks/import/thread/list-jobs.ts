import type { ListText } from "../../graph/task.ts";
import { type RevertedTicks, type TickOrigin, withoutForeignTicks } from "../foreign-ticks.ts";
import type { ImportedFile, Marks } from "../source/imported-task.ts";
import { formatNamed } from "../source-formats.ts";

/** The jobs that concern the text of a list: pure functions of plain data, which another thread can call. */
const listJobs = {
  parse: ({ format, ...source }: ListText): ImportedFile => formatNamed(format).parse(source),
  mark: ({ format, ...source }: ListText, marks: Marks): string | undefined =>
    formatNamed(format).mark(source, marks),
  withoutForeignTicks: ({ format, ...source }: ListText, origin: TickOrigin): RevertedTicks | undefined =>
    withoutForeignTicks(formatNamed(format), source, origin),
};

export type ListJobs = typeof listJobs;

/** A job and its arguments. */
export interface ListRequest {
  readonly job: keyof ListJobs;
  readonly given: readonly [ListText, ...unknown[]];
}

/** Does a job and throws its errors. The caller knows the types, which a message between threads does not. */
export function doListJob({ job, given }: ListRequest): unknown {
  const work = listJobs[job] as (...given: readonly unknown[]) => unknown;
  return work(...given);
}
