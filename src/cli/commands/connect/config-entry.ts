import { isDeepStrictEqual } from "node:util";
import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { type Connection, type ConnectionPlan, type ConnectTarget, hunkOf, undoHunk } from "./connection.ts";
import { type EntryFormat, EntryRefused } from "./entry-format.ts";
import { missingFolders, type PersonFile, readPersonFile } from "./person-file.ts";

interface EntryTarget {
  readonly title: string;
  readonly file: string;
  readonly format: EntryFormat;
  readonly value: object;
}

/** An argument of every entry that ralph wrote. */
const ownMark = "--connected";

/** Connects an agent by an entry in its configuration file, which belongs to a person. */
export function entryTarget(target: EntryTarget): ConnectTarget {
  return {
    title: target.title,
    connect: (known) => explaining(target, () => planEntry(target, known)),
    disconnect: (known) => explaining(target, () => planRemoval(target, known)),
  };
}

function planEntry(target: EntryTarget, known: Connection | null): ConnectionPlan {
  const { file, format, value } = target;
  const found = readPersonFile(file);
  const current = found.text === null ? undefined : format.read(found.text);
  if (isDeepStrictEqual(current, value)) {
    return { changes: [], connection: known ?? { files: [], entry: null, folders: [] } };
  }
  if (current !== undefined && !isOwn(current)) {
    throw new RalphError("RALPH_CONNECT_EXISTS", `${file} already has a server named ralph`, {
      hint: "remove or rename it, then run the command again",
    });
  }
  const base = current === undefined ? found.text : withoutEntry(target, found, known);
  const text = format.add(base ?? "", value);
  return {
    changes: [{ path: found.path, before: found.text, after: text }],
    connection: {
      files: base === null ? [{ path: found.path, sha256: sha256(text) }] : [],
      entry: { path: found.path, ...hunkOf(base ?? "", text) },
      folders: [...new Set([...(known?.folders ?? []), ...missingFolders(found.path)])],
    },
  };
}

function planRemoval(target: EntryTarget, known: Connection | null): ConnectionPlan {
  const { file, format } = target;
  const found = readPersonFile(file);
  const current = found.text === null ? undefined : format.read(found.text);
  if (current === undefined) return { changes: [], connection: null };
  if (!isOwn(current)) {
    if (known === null) return { changes: [], connection: null };
    throw new RalphError(
      "RALPH_CONNECT_EDITED",
      `the server named ralph in ${file} is not the one ralph added`,
      { hint: "remove it by hand if it is not needed" },
    );
  }
  const after = withoutEntry(target, found, known);
  return { changes: [{ path: found.path, before: found.text, after }], connection: null };
}

/** Returns the file's text without ralph's entry; null: ralph created the file, and nobody has changed it since. */
function withoutEntry(
  { format }: EntryTarget,
  { path, text }: PersonFile,
  known: Connection | null,
): string | null {
  if (text === null) return null;
  const isUnchanged = known?.files.some((one) => one.path === path && one.sha256 === sha256(text));
  if (isUnchanged) return null;
  const undone = known?.entry ? undoHunk(text, known.entry) : undefined;
  return undone !== undefined && format.isWithout(text, undone) ? undone : format.remove(text);
}

function isOwn(value: unknown): boolean {
  return JSON.stringify(value).includes(`"${ownMark}"`);
}

function explaining<T>({ file, format, value, title }: EntryTarget, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EntryRefused)) throw error;
    const hint = `repair it, or edit it by hand; ralph's entry for ${title} is:\n${format.render(value)}`;
    throw new RalphError("RALPH_CONNECT_FILE", `cannot change ${file}: ${error.message}`, {
      hint,
      cause: error,
    });
  }
}
