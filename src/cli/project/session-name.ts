import { readFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { sessionName } from "../../memory/note-actions.ts";
import type { OptionValue } from "../shell/command.ts";

/** Returns the named session of notes (NOTE-5): `--name`, else the name of the spec file, else the branch. */
export function sessionOf(root: string, options: Readonly<Record<string, OptionValue>>): string {
  const { name, spec, branch } = options;
  if (typeof name === "string") return sessionName(name);
  if (typeof spec === "string") return sessionName(basename(spec, extname(spec)));
  return sessionName(typeof branch === "string" ? branch : (currentBranch(root) ?? "default"));
}

/** Reads HEAD without starting git; undefined without a branch. */
function currentBranch(root: string): string | undefined {
  const folder = join(root, ".git");
  const linked = /^gitdir: (.+)$/m.exec(read(folder))?.[1];
  const head = read(join(linked === undefined ? folder : resolve(root, linked), "HEAD"));
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
