import { RalphError } from "../../base/errors.ts";
import { cleanText, clip } from "../../base/text.ts";
import type { Row, SqlValue } from "../../store/port/db.ts";
import { columnText, redactedText } from "../../trust/safe-text.ts";
import type { NewTask } from "./task.ts";

/** The fields of a task to change; absent fields keep their values. */
export type TaskChanges = Partial<Omit<NewTask, "id">> & { readonly attemptsBefore?: number };

const titleMax = 500;
const textMax = 1_000_000;
/** The largest value of a 4-byte INTEGER column. */
const integerMax = 2_147_483_647;

type Columns = Record<string, SqlValue>;
type Encoders = {
  readonly [K in keyof TaskChanges]-?: (value: NonNullable<TaskChanges[K]> | null) => Columns;
};

const encoders: Encoders = {
  parentId: (value) => ({ parent_id: value }),
  title: (value) => ({ title: title(value ?? "") }),
  description: (value) => ({ description: limited("description", columnText(value ?? "")) }),
  status: (value) => ({ status: value ?? "pending" }),
  statusReason: (value) => ({ status_reason: value === null ? null : limited("reason", columnText(value)) }),
  blockCause: (value) => ({ block_cause: value }),
  priority: (value) => ({ priority: integer("priority", value ?? 2) }),
  tags: (value) => ({ tags: list("tags", value ?? []) }),
  files: (value) => ({ files: list("files", value ?? []) }),
  acceptance: (value) => ({ acceptance: list("acceptance criteria", value ?? []) }),
  // Not redacted: ralph runs these commands. Only what shows them hides their secrets.
  verification: (value) => {
    const commands = (value ?? []).map(({ run, timeoutMs }) => ({ run: cleanText(run), timeoutMs }));
    return { verification: limited("verification", JSON.stringify(commands)) };
  },
  allowNoChange: (value) => ({ allow_no_change: value ? 1 : 0 }),
  allowRed: (value) => ({ allow_red: value ? 1 : 0 }),
  parallelGroup: (value) => ({ parallel_group: value === null ? null : integer("parallel group", value) }),
  commitTemplate: (value) => ({
    commit_template: value === null ? null : limited("commit template", columnText(value)),
  }),
  source: (value) => ({
    source_format: value?.format ?? null,
    source_path: value ? cleanText(value.path) : null,
    source_key: value ? cleanText(value.key) : null,
  }),
  attemptsBefore: (value) => ({ attempts_before: value ?? 0 }),
};

const fields = Object.keys(encoders) as (keyof TaskChanges)[];

/**
 * Returns the columns that `changes` sets, with cleaned text and without secrets (TRUST-1), except in commands. Errors: RALPH_TASK_TOO_LARGE, RALPH_TASK_BAD_TITLE,
 * RALPH_TASK_BAD_NUMBER.
 */
export function columnsOf(changes: TaskChanges): Columns {
  return setColumns({}, changes);
}

function setColumns(columns: Columns, changes: TaskChanges): Columns {
  for (const key of fields) {
    const value = changes[key];
    if (value !== undefined) Object.assign(columns, (encoders[key] as (value: unknown) => Columns)(value));
  }
  return columns;
}

/**
 * Returns the columns of a new task, as `columnsOf` does. Errors: RALPH_TASK_BAD_ID, RALPH_TASK_BAD_TITLE,
 * RALPH_TASK_TOO_LARGE, RALPH_TASK_BAD_NUMBER.
 */
export function newTaskColumns(task: NewTask & { readonly id: string }): Row {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(task.id)) {
    throw new RalphError("RALPH_TASK_BAD_ID", `invalid task id ${JSON.stringify(clip(task.id, 120))}`, {
      hint: "use letters, digits and . _ : - (not first), at most 100 characters",
    });
  }
  // All columns are there before the first is set: rows of one shape are written in a third of the time.
  defaults ??= columnsOf(defaultFields);
  return setColumns({ id: task.id, title: "", ...defaults }, task);
}

/** Every column that a task can set, so that all rows of one import have the same columns. */
const defaultFields: TaskChanges = {
  parentId: null,
  description: "",
  status: "pending",
  statusReason: null,
  blockCause: null,
  priority: 2,
  tags: [],
  files: [],
  acceptance: [],
  verification: [],
  allowNoChange: false,
  allowRed: false,
  parallelGroup: null,
  commitTemplate: null,
  source: null,
};
let defaults: Columns | undefined;

function title(value: string): string {
  const text = columnText(value);
  if (text.trim() === "") {
    throw new RalphError("RALPH_TASK_BAD_TITLE", "empty title: a task needs a title", {
      hint: "state in one line what to do",
    });
  }
  const characters = text.length <= titleMax ? text.length : Array.from(text).length;
  if (characters > titleMax) {
    throw new RalphError(
      "RALPH_TASK_TOO_LARGE",
      `The title has ${characters.toLocaleString("en")} characters; the limit is ${titleMax}.`,
      { hint: "shorten the title and put the rest into the description" },
    );
  }
  return text;
}

function limited(field: string, text: string): string {
  if (text.length <= textMax) return text;
  const [length, limit] = [text.length, textMax].map((n) => n.toLocaleString("en"));
  throw new RalphError(
    "RALPH_TASK_TOO_LARGE",
    `The ${field} has ${length} characters; the limit is ${limit}.`,
    {
      hint: "put it in a file of the project and name that file in the description",
    },
  );
}

function list(field: string, values: readonly string[]): string {
  return limited(field, JSON.stringify(values.map(columnText)));
}

function integer(field: string, value: number): number {
  if (Number.isInteger(value) && Math.abs(value) <= integerMax) return value;
  throw new RalphError("RALPH_TASK_BAD_NUMBER", `invalid ${field} ${value}: expected a 32-bit integer`);
}

/** The warning about a verification command that holds a secret: the store keeps it, because ralph runs the command. */
export const secretInCommand =
  "the verification command contains a secret, and is stored with it because ralph runs it; read the secret from an environment variable instead";

/** Checks whether a verification command of the task contains a recognized secret. */
export function hasSecretInCommand(task: Pick<NewTask, "verification">): boolean {
  return (task.verification ?? []).some(({ run }) => redactedText(run) !== run);
}
