import { textOf } from "../config-files.ts";
import { isUnchanged } from "../remembered.ts";
import type { GuardedEntry } from "../restore/restore-entries.ts";
import { type UserConfig, userEntries } from "../user-config.ts";
import { groupsOf } from "./everyday-settings.ts";

/** A place to which git's configuration leads a push or a fetch. */
export interface Destination {
  /** The path of the configuration file. */
  readonly path: string;
  /** `a new remote`, `a new upstream of a branch`, … */
  readonly what: string;
  /** The name of the remote, branch or submodule. */
  readonly name: string;
  /** Its new values, as written in the file: they may hold credentials and invisible characters. */
  readonly values: readonly string[];
}

const kinds: readonly (readonly [name: RegExp, what: string])[] = [
  [/^remote\..+\.url$/su, "a new remote"],
  [/^remote\..+\.(?:push|pushurl)$/su, "a new push setting of a remote"],
  [/^remote\.pushdefault$/u, "a new default remote to push to"],
  [/^branch\..+\.(?:remote|pushremote|merge)$/su, "a new upstream of a branch"],
  [/^submodule\..+\.url$/su, "a new submodule"],
  [/^lfs\.(?:url|pushurl)$/u, "a new server of Git LFS"],
];

/**
 * Returns the destinations that the files have now and had not then. They start no program and may be a person's, so they stay;
 * but whoever pushes should know of them. A file of a guard of another process is left out where its text is not known.
 */
export function newDestinations(
  entries: readonly GuardedEntry[],
  users: readonly UserConfig[],
): readonly Destination[] {
  const configs = [...entries.filter(({ isConfig }) => isConfig), ...userEntries(users)];
  return configs.flatMap(({ path, was }) => {
    if (was.kind === "other" || was.kind === "folder" || isUnchanged(path, was)) return [];
    const before = was.kind === "file" ? Buffer.from(was.base64, "base64").toString("utf8") : "";
    return addedTo(before, textOf(path)).map((one) => ({ path, ...one }));
  });
}

function addedTo(before: string, after: string): readonly Omit<Destination, "path">[] {
  const was = groupsOf(before);
  const found = new Map<string, Omit<Destination, "path">>();
  for (const [fullName, group] of groupsOf(after)) {
    const what = kinds.find(([pattern]) => pattern.test(fullName))?.[1];
    const known = new Set(was.get(fullName)?.map(({ value }) => value));
    const values = group.map(({ value }) => value).filter((value) => !known.has(value));
    if (what === undefined || values.length === 0) continue;
    const name = group[0]?.subsection ?? "";
    // A branch has a remote and a branch there.
    const above = found.get(`${what} ${name}`)?.values ?? [];
    found.set(`${what} ${name}`, { what, name, values: [...above, ...values] });
  }
  return [...found.values()];
}
