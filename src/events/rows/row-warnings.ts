import { clip, count, oneLine } from "../../base/text.ts";
import type { TableWrite } from "../event.ts";

interface Reverted {
  /** The writes that restored rows. */
  readonly writes: readonly TableWrite[];
  /** Names of triggers and views that were planted in the store; they are gone. */
  readonly planted: readonly string[];
  /** The number of events in the log and the outbox that no process with the project's key recorded. */
  readonly forgedEvents: number;
}

/** The maximum number of rows that the warnings name: an agent can empty a table. */
const maxNamedRows = 10;

/** Returns a warning for each row that was put back, and for what else an agent left in the store. */
export function warningsOf({ writes, planted, forgedEvents }: Reverted): readonly string[] {
  const names = rowNames(writes);
  const more =
    names.length > maxNamedRows ? [`put back ${names.length - maxNamedRows} more rows of the store`] : [];
  const named = names
    .slice(0, maxNamedRows)
    .map((name) => `put back ${name}: it was changed other than by ralph`);
  const forged =
    forgedEvents > 0 ? [`ignored ${count(forgedEvents, "event")} that ralph did not record`] : [];
  const removed = planted.map(
    (name) => `removed ${brief(name)} from the store: only ralph changes its schema`,
  );
  return [...removed.slice(0, maxNamedRows), ...named, ...more, ...forged];
}

/** Returns what the rows are, each once; those with a name first. */
export function rowNames(writes: readonly TableWrite[]): readonly string[] {
  const names = [...new Set(writes.map(nameOf))];
  const isNamed = (name: string): boolean => !name.startsWith("a row of ");
  return [...names.filter(isNamed), ...names.filter((name) => !isNamed(name))];
}

function brief(text: string): string {
  return clip(oneLine(text), 100);
}

function nameOf({ table, row }: TableWrite): string {
  const cell = (column: string): string => brief(String(row[column]));
  switch (table) {
    case "tasks":
      return `task ${cell("id")}`;
    case "dependencies":
      return `the dependencies of ${cell("blocked_id")}`;
    case "iteration_outcomes":
      return `attempt ${cell("attempt_number")} of ${cell("task_id")}`;
    case "failure_reports":
      return `the report of attempt ${cell("attempt_number")} of ${cell("task_id")}`;
    case "strategy_metrics":
      return `the metrics of ${cell("task_id")}`;
    default:
      return `a row of ${table}`;
  }
}
