/** A part of a store's schema. Each statement must work on a store that has its table or index already: `IF NOT EXISTS`. */
export interface SchemaPart {
  /** With all of their columns: one that an older store lacks is added to it. */
  readonly tables: string;
  readonly indexes: string;
}
