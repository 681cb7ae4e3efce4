import type { JsonObject } from "../../../base/json.ts";

/** A changed file that verification reads. */
export interface InputChange {
  /** Relative to the project when it is inside, otherwise `~/…` or absolute. */
  readonly name: string;
  readonly isInside: boolean;
  readonly how: "added" | "changed" | "removed";
  /** The reason why it matters, as a clause. */
  readonly why: string;
}

/** A change that nobody accepted, to be recognized by a later run. */
export interface OpenInput extends InputChange {
  /** Absolute. */
  readonly path: string;
  /** The content before the change and after it, as text that is equal for equal content. */
  readonly reference: string;
  readonly content: string;
}

/** Returns the change that was stored, alone in a list; an empty list for anything else. */
export function parseOpenInput({ isInside, how, ...rest }: JsonObject): readonly OpenInput[] {
  const { name, why, path, reference, content } = rest;
  if (typeof isInside !== "boolean" || (how !== "added" && how !== "changed" && how !== "removed")) return [];
  if (typeof name !== "string" || typeof why !== "string" || typeof path !== "string") return [];
  if (typeof reference !== "string" || typeof content !== "string") return [];
  return [{ name, isInside, how, why, path, reference, content }];
}
