import { lookClosely } from "../../../base/careful-files.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";

type StoreKey = Pick<ProjectKey, "readStore" | "writeStore">;

/**
 * Returns true if the store at `path` is another file than the one that ralph used last in this project: git puts a new file there when
 * a branch holds one, for example, and an agent can have made that branch.
 */
export function isStoreReplaced(key: StoreKey, path: string): boolean {
  const [known, found] = [key.readStore(), nameOfFile(path)];
  return known !== null && found !== null && known !== found;
}

/** Describes a replaced store for a person; `store` names it. */
export function describeReplaced(store: string): string {
  return `${store} is not the file that ralph used last, as after a restored backup, a checked-out branch or a copy from another machine`;
}

/** Remembers the file at `path` as this project's store. */
export function keepStore(key: StoreKey, path: string): void {
  const found = nameOfFile(path);
  if (found !== null && found !== key.readStore()) key.writeStore(found);
}

/** Names the file at `path`: another one in its place has another name. Null: there is none. */
export function nameOfFile(path: string): string | null {
  const found = lookClosely(path);
  if (!found) return null;
  // The number of a removed file is given to the next one.
  const { ino, birthtimeNs, ctimeNs } = found;
  // Where a file system keeps no time of creation, that of the last change can stand there.
  return `${ino}.${birthtimeNs === ctimeNs ? 0 : birthtimeNs} ${path}`;
}
