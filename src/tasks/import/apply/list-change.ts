/** The effect of a change of a list on a task. */
export type ListChangeKind =
  | "added"
  | "renamed"
  | "edited"
  | "moved"
  | "ticked"
  | "blocked"
  | "unblocked"
  /** Finished, and there are open items below it again. */
  | "reopened"
  | "removed"
  /** No longer in the file, and blocked because a run has worked on it. */
  | "withdrawn";

/** A change of a list, as adopted by the project. */
export interface ListChange {
  readonly kind: ListChangeKind;
  readonly id: string;
  readonly title: string;
  /** The former title of a renamed task. */
  readonly was?: string;
}

/** Collects the changes of one import: each kind once for a task, and no other for an added one. */
export class ListChanges {
  readonly all: ListChange[] = [];
  readonly #seen = new Set<string>();

  add(change: ListChange): void {
    const { id, kind } = change;
    if (this.#seen.has(`added ${id}`) || this.#seen.has(`${kind} ${id}`)) return;
    this.#seen.add(`${kind} ${id}`);
    this.all.push(change);
  }
}
