/** The source of a record of the hivemind: a verified success, a failed verification or a learning. */
type SharedType = "success" | "failure" | "learning";

/** One record of the hivemind. Its texts passed `withoutPrivateData`. */
export interface SharedMemory {
  /** `h-` and 12 hex digits. */
  readonly id: string;
  readonly type: SharedType;
  /** The title of its task; "" without one. */
  readonly title: string;
  /** At most 1,000 characters. */
  readonly content: string;
  readonly tags: readonly string[];
  /** `ProjectOrigin.id`; "" when it was stored outside a project. */
  readonly project: string;
  readonly projectName: string;
  /** Hash of the signature of the error that it solved, or that it reports; null: none. */
  readonly signature: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A record as the hivemind holds it. */
export interface StoredMemory extends SharedMemory {
  /** When it was stored last or confirmed to be true. ISO 8601. */
  readonly updatedAt: string;
}

/** Maximum length of a record's content in characters (HIVE-2). */
export const contentChars = 1000;
