import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitLines, gitRead } from "./git.ts";
import type { Workspace } from "./workspace.ts";

interface Span {
  readonly from: string;
  readonly to: string;
  /** Files of the work tree with conflict markers, from the top level. */
  readonly paths: readonly string[];
}

/**
 * Returns the commits after `from`, up to `to`, that last changed the conflicting lines; if those lines no longer exist or
 * cannot be determined, all commits that changed these files.
 */
export async function conflictingCommits(
  ws: Workspace,
  { from, to, paths }: Span,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const lines = await conflictLines(join(ws.topLevel, path));
    const blamed = lines.length > 0 ? await blame(ws, { from, to, path, lines }) : [];
    const all = blamed.length > 0 ? blamed : await changing(ws, { from, to, path });
    for (const commit of all) found.add(commit);
  }
  return [...found];
}

/** Returns the line ranges (`3,5`) of our side of each conflict, counted without the markers and the other side. */
async function conflictLines(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const ranges: string[] = [];
  let [line, start, side] = [0, 0, "both"];
  for (const one of text.split("\n")) {
    if (one.startsWith("<<<<<<< ")) [start, side] = [line + 1, "ours"];
    else if (side === "ours" && /^(?:={7}$|\|{7})/.test(one)) {
      if (line >= start) ranges.push(`${start},${line}`);
      side = "theirs";
    } else if (side === "theirs" && one.startsWith(">>>>>>> ")) side = "both";
    else if (side !== "theirs") line += 1;
  }
  return ranges;
}

interface File {
  readonly from: string;
  readonly to: string;
  readonly path: string;
}

async function blame(ws: Workspace, file: File & { readonly lines: readonly string[] }): Promise<string[]> {
  const ranges = file.lines.flatMap((range) => ["-L", range]);
  const args = ["blame", "-l", "-s", ...ranges, `${file.from}..${file.to}`, "--", file.path];
  const { code, stdout } = await gitRead(ws, args, { accept: "any" });
  // A line that did not change since has a `^` before its commit.
  return code === 0 ? [...stdout.matchAll(/^([0-9a-f]{40,64})\b/gm)].map(([, hash = ""]) => hash) : [];
}

async function changing(ws: Workspace, { from, to, path }: File): Promise<readonly string[]> {
  const args = ["--literal-pathspecs", "rev-list", `${from}..${to}`, "--", path];
  return gitLines(ws, args, { accept: "any" });
}
