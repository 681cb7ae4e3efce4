import type { Db } from "../../src/store/port/db.ts";

/** A store driver under test. */
export interface StoreDriver {
  readonly name: string;
  /** Opens the store of `folder`, created when there is none; several handles may be open at a time. */
  open(folder: string, options?: { readonly readOnly?: boolean }): Promise<Db>;
}
