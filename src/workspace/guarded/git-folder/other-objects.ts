import { copyFileSync, linkSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolders } from "../../../base/careful-files.ts";
import { RalphError, systemCode } from "../../../base/errors.ts";
import { remembering } from "../../git/file-stamp.ts";
import { gitRead } from "../../git/git.ts";
import { isWithin, nameOf, pathKind, realPath } from "../../git/paths.ts";
import type { Workspace } from "../../workspace.ts";
import { asideOf, moveAside } from "../keep-copies.ts";
import { entriesOf, kindOf } from "../remembered.ts";

/** Bytes. A larger file names no folders that a person wrote there. */
const maxListBytes = 1024 * 1024;
/** Bytes. Where no links between files are possible, more is not copied. */
const maxCopiedBytes = 1024 ** 3;
const maxObjects = 500_000;
/** As git follows them. */
const maxDepth = 5;

const loose = /^[0-9a-f]{2}$/;
const looseName = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
/** The index comes last: git takes a pack as complete that has one. */
const packEnds: readonly string[] = [".pack", ".rev", ".idx"];

/** Returns the folders of objects besides the repository's own that `objects/info/alternates` names. Starts no process. */
export function alternatesOf(ws: Workspace): readonly string[] {
  return alternatesIn(join(ws.commonDir, "objects"));
}

function alternatesIn(objects: string): readonly string[] {
  let lines: readonly string[];
  try {
    lines = readLines(join(objects, "info", "alternates"));
  } catch {
    // Closed to us, or a link to itself: git reads nothing from it either.
    return [];
  }
  return lines.map((line) => resolve(objects, line));
}

const readLines = remembering("stat", (path, stats): readonly string[] => {
  if (!stats?.isFile() || stats.size > maxListBytes) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map(unquoted);
});

/** As git quotes a path: escapes of C, bytes in octal. */
function unquoted(line: string): string {
  if (!/^".*"$/.test(line)) return line;
  const bytes = line.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : code;
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** A folder or file with objects, and where they belong in the repository's own. */
interface OtherObjects {
  readonly from: string;
  readonly to: string;
}

interface Former {
  readonly alternates: readonly string[];
  readonly links: Readonly<Record<string, string>>;
}

/**
 * Finds where git reads objects from since `before`: folders that `objects/info/alternates` names, and links below the folder of
 * objects (`links`). Must be called while these are there. Those in the project are `own`; copies of what is elsewhere, such as the
 * objects of another repository, would show later agents what a sandbox hides from them. Starts no process.
 */
export function findOtherObjects(
  ws: Workspace,
  before: Former,
  links: ReadonlyMap<string, string>,
): { readonly own: readonly OtherObjects[]; readonly outside: readonly string[] } {
  const objects = join(ws.commonDir, "objects");
  const found: OtherObjects[] = [];
  const seen = new Set(before.alternates);
  const follow = (folder: string, depth: number): void => {
    if (seen.has(folder) || depth > maxDepth) return;
    seen.add(folder);
    found.push({ from: realPath(folder), to: objects });
    for (const next of alternatesIn(folder)) follow(next, depth + 1);
  };
  for (const folder of alternatesOf(ws)) follow(folder, 1);
  for (const [path, target] of links)
    if (isWithin(objects, path) && before.links[path] !== target)
      found.push({ from: realPath(path), to: path });
  const own = [ws.topLevel, ws.commonDir, ws.gitDir];
  const isOwn = ({ from }: OtherObjects): boolean => own.some((folder) => isWithin(folder, from));
  return {
    own: found.filter((one) => one.from !== objects && isOwn(one)),
    outside: found.filter((one) => !isOwn(one)).map(({ from }) => from),
  };
}

/**
 * Takes such objects into the repository: ralph removes folders for temporary files, and without a commit's objects a branch is lost.
 * Links the files, or copies them where that is impossible. Where that fails too, moves the folder to `keepIn` if ralph would
 * remove it, and throws RALPH_GIT_GONE.
 */
export function takeOtherObjects(ws: Workspace, others: readonly OtherObjects[], keepIn: string): void {
  let copied = 0;
  let taken = 0;
  const take = (from: string, to: string): void => {
    if (kindOf(from) !== "file" || pathKind(to)) return;
    if (++taken > maxObjects) throw new Error(`more than ${maxObjects} objects`);
    try {
      linkSync(from, to);
    } catch (error) {
      if (systemCode(error) === "EEXIST") return;
      copied += statSync(from).size;
      if (copied > maxCopiedBytes) throw new Error("more than 1 GiB");
      copyFileSync(from, to);
    }
  };
  for (const { from, to } of others) {
    try {
      if (kindOf(from) === "folder") takeFolder(from, to, take);
      else take(from, to);
    } catch (error) {
      throw notTaken(ws, from, { error, keepIn });
    }
  }
}

/** Takes a folder of objects, the one of packs, or one of loose objects. */
function takeFolder(from: string, to: string, take: (from: string, to: string) => void): void {
  makeFolders(to, 0o777);
  const names = entriesOf(from).map(({ name }) => name);
  const isWanted = (name: string): boolean =>
    looseName.test(name) || packEnds.some((end) => name.endsWith(end));
  const last = (name: string): number => packEnds.findIndex((end) => name.endsWith(end));
  for (const name of names.filter(isWanted).sort((a, b) => last(a) - last(b)))
    take(join(from, name), join(to, name));
  for (const name of names.filter((one) => loose.test(one) || one === "pack"))
    if (kindOf(join(from, name)) === "folder") takeFolder(join(from, name), join(to, name), take);
}

/** Throws RALPH_GIT_GONE if the last commit is not in the repository: then it is in one of the folders `outside`. */
export async function requireObjects(ws: Workspace, outside: readonly string[]): Promise<void> {
  const { code } = await gitRead(ws, ["rev-parse", "--quiet", "--verify", "HEAD^{tree}"], { accept: "any" });
  if (code === 0) return;
  throw new RalphError(
    "RALPH_GIT_GONE",
    `The agent moved the objects of the last commit out of the project, to ${outside.join(" or ")}.`,
    { hint: "Copy the files of that folder to .git/objects, then run `git fsck`." },
  );
}

function notTaken(
  ws: Workspace,
  from: string,
  { error, keepIn }: { readonly error: unknown; readonly keepIn: string },
): RalphError {
  const isTemporary = isWithin(join(ws.root, ".ralph"), from) && kindOf(from) === "folder";
  const place = isTemporary ? moveAside(from, asideOf(ws, from, keepIn)) : from;
  const why = error instanceof Error ? error.message : String(error);
  return new RalphError(
    "RALPH_GIT_GONE",
    `The agent moved objects of git out of the repository, and ralph cannot take them back: ${why}`,
    {
      hint: `Copy the files in ${nameOf(ws, place)} to ${nameOf(ws, join(ws.commonDir, "objects"))}, then run \`git fsck\`.`,
    },
  );
}
