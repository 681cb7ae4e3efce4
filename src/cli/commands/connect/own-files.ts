import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import type { Connection } from "./connection.ts";
import { type FileChange, readPersonFile } from "./person-file.ts";

/** Returns what turns the files of `known` into `wanted`. Throws when a person changed one of them. */
export function changesOf(
  known: Pick<Connection, "files"> | null,
  wanted: readonly { readonly path: string; readonly text: string }[],
): readonly FileChange[] {
  const written = known?.files ?? [];
  const isWritten = (path: string, text: string): boolean =>
    written.some((file) => file.path === path && file.sha256 === sha256(text));
  const paths = new Set([...wanted, ...written].map(({ path }) => path));
  return [...paths].flatMap((path): readonly FileChange[] => {
    const { path: real, text: before } = readPersonFile(path);
    const after = wanted.find((file) => file.path === path)?.text ?? null;
    if (before === after) return [];
    if (before !== null && !isWritten(path, before))
      throw written.some((file) => file.path === path) ? edited(path) : foreign(path);
    return [{ path: real, before, after }];
  });
}

function edited(path: string): RalphError {
  return new RalphError("RALPH_CONNECT_EDITED", `${path} was changed since ralph wrote it`, {
    hint: "move it elsewhere, then run the command again",
  });
}

export function foreign(path: string): RalphError {
  return new RalphError("RALPH_CONNECT_EXISTS", `${path} exists, and ralph did not write it`, {
    hint: "move it elsewhere, then run the command again",
  });
}
