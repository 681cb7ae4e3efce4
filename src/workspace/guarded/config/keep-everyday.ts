import { isUtf8 } from "node:buffer";
import { isTooLarge } from "../config-files.ts";
import { type FileSnapshot, keptBytes, kindOf, snapshotFile } from "../remembered.ts";
import { type ConfigValue, configValues } from "./config-values.ts";
import { fullName, groupsOf, isEveryday, isEverydayName } from "./everyday-settings.ts";
import { leadsElsewhere } from "./leads-elsewhere.ts";
import { startTheSame } from "./starting-values.ts";

/**
 * Returns what a configuration file of the repository should be: as it is now, if only everyday settings differ from `was`
 * (a remote, a branch, a color); else `was` with the everyday settings of now, and nothing else of it.
 */
export function withEveryday(path: string, was: FileSnapshot): FileSnapshot {
  if (was.kind !== "file" || kindOf(path) !== "file") return was;
  const now = snapshotFile(path);
  if (now.kind !== "file" || isTooLarge(keptBytes(now))) return was;
  const before = textIn(was.base64);
  const after = textIn(now.base64);
  if (before === undefined || after === undefined || before === after) return was;
  const differing = differences(before, after);
  const everyday = new Set([...differing].filter(([, sides]) => sides.isEveryday).map(([name]) => name));
  if (everyday.size === differing.size && isPlain(after) && startTheSame(before, after))
    return { ...now, mode: was.mode };
  const merged = everyday.size === 0 ? undefined : merge(before, after, everyday);
  return merged === undefined ? was : { ...was, base64: Buffer.from(merged, "utf8").toString("base64") };
}

function textIn(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

const valuesOf = (group: readonly ConfigValue[] = []): string =>
  JSON.stringify(group.map(({ value }) => value));

/** Returns the variables that differ, by name. */
function differences(was: string, now: string): ReadonlyMap<string, { readonly isEveryday: boolean }> {
  const [before, after] = [groupsOf(was), groupsOf(now)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => valuesOf(before.get(name)) !== valuesOf(after.get(name)),
  );
  const mayDiffer = (name: string): boolean => {
    const sides = { was: before.get(name) ?? [], now: after.get(name) ?? [] };
    if (leadsElsewhere(sides, before, after)) return false;
    return sides.was.every(isEverydayName) && sides.now.every(isEveryday);
  };
  return new Map(names.map((name) => [name, { isEveryday: mayDiffer(name) }]));
}

const blankOrComment = /^[ \t]*(?:[#;].*)?$/;
const header = /^\[[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*(?:[ \t]+"(?:[^"\\]|\\[\\"])*")?\][ \t]*$/;
const variable =
  /^[ \t]*[A-Za-z][A-Za-z0-9-]*[ \t]*=(?:[^"\\#;]|\\[\\"ntb]|"(?:[^"\\]|\\[\\"ntb])*")*(?:[#;].*)?$/;

/** Returns true for a text in the form that git writes itself, so that git certainly accepts it, and reads it as ralph does. */
function isPlain(text: string): boolean {
  if (/(?![\t\n])\p{Cc}|\uFEFF/u.test(text)) return false;
  let isOpened = false;
  return text.split("\n").every((line) => {
    if (blankOrComment.test(line)) return true;
    if (!header.test(line)) return isOpened && variable.test(line);
    isOpened = true;
    return true;
  });
}

/** Returns `before` with these variables of `after`; undefined where lines cannot be taken out of it. */
function merge(before: string, after: string, names: ReadonlySet<string>): string | undefined {
  const lines = before.split("\n");
  const replaced = configValues(before).filter((one) => names.has(fullName(one)));
  // The header in the same line counts for the lines below it too.
  if (replaced.some(({ lines: [first] }) => lines[first]?.trimStart().startsWith("["))) return undefined;
  const out = new Set(replaced.flatMap(({ lines: [first, last] }) => rangeOf(first, last)));
  const kept = lines.filter((_, at) => !out.has(at)).join("\n");
  const added = configValues(after).filter((one) => names.has(fullName(one)));
  const end = kept === "" || kept.endsWith("\n") ? "" : "\n";
  const merged = `${kept}${end}${added.map(written).join("")}`;
  return isMerge(merged, { before, after, names }) ? merged : undefined;
}

function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function written(one: ConfigValue, at: number, all: readonly ConfigValue[]): string {
  const { section, subsection, key, value } = one;
  const above = all[at - 1];
  const isBelow = above?.section === section && above.subsection === subsection;
  const name = subsection === "" ? section : `${section} "${escaped(subsection)}"`;
  return `${isBelow ? "" : `[${name}]\n`}\t${key} = "${escaped(value)}"\n`;
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, "\\$&");
}

interface Sides {
  readonly before: string;
  readonly after: string;
  readonly names: ReadonlySet<string>;
}

/** An odd form of the file, such as a last line that is continued, can give what was added another meaning. */
function isMerge(merged: string, { before, after, names }: Sides): boolean {
  const [was, now, is] = [groupsOf(before), groupsOf(after), groupsOf(merged)];
  const all = new Set([...was.keys(), ...is.keys(), ...names]);
  return (
    startTheSame(merged, before) &&
    [...all].every((name) => valuesOf(is.get(name)) === valuesOf((names.has(name) ? now : was).get(name)))
  );
}
