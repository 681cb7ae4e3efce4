import type { Decision } from "./foreign-use-store.ts";
import type { StoredMemory } from "./shared-memory.ts";

/** The decision of a project on a record, `own` for its own, `unconfirmed` before any. */
export type RecordMark = "own" | Decision | "unconfirmed";

/** A record of the hivemind as people see it. */
export interface RecordView extends StoredMemory {
  /** Full days since it was stored or validated. */
  readonly ageDays: number;
  /** Null outside a project. */
  readonly mark: RecordMark | null;
}

const dayMs = 86_400_000;
/** The confidence that `swarm memory` gives a record by itself. */
const confidence = 0.7;

export function recordView(
  memory: StoredMemory,
  { mark, now }: { readonly mark: RecordMark | null; readonly now: Date },
): RecordView {
  const ageDays = Math.max(0, Math.floor((now.getTime() - Date.parse(memory.updatedAt)) / dayMs));
  return { ...memory, ageDays: Number.isNaN(ageDays) ? 0 : ageDays, mark };
}

/** Returns a record as JSON: the fields of `swarm memory` and all of our own. */
export function recordJson({ id, content, tags, createdAt, projectName, ...more }: RecordView): object {
  const { type, title, ageDays, mark, updatedAt, signature } = more;
  return {
    id,
    content,
    metadata: { tags },
    collection: "hivemind",
    createdAt,
    confidence,
    type,
    title,
    origin: projectName || null,
    ageDays,
    mark,
    updatedAt,
    signature,
  };
}

/** Where a record is from and what the project knows of it: `from project ledger, 12d ago, not confirmed in this project`. */
export function originOf(record: RecordView): string {
  return [fromOf(record), markOf(record)].filter(Boolean).join(", ");
}

/** `project ledger, 12d ago`. */
export function fromOf({ projectName, ageDays, mark }: RecordView): string {
  const from = mark === "own" ? "this project" : projectName ? `project ${projectName}` : "outside a project";
  return `${from}, ${ageDays === 0 ? "today" : `${ageDays}d ago`}`;
}

/** The decision of the project on a record, for people; "" for none. */
export function markOf({ mark }: Pick<RecordView, "mark">): string {
  switch (mark) {
    case "approved":
      return "approved by a person";
    case "confirmed":
      return "confirmed by a verified success";
    case "rejected":
      return "called harmful by an agent";
    case "unconfirmed":
      return "not confirmed in this project";
    default:
      return "";
  }
}
