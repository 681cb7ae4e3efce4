import { describeWeakenings, filesToCompare, weakenings } from "../src/outcome/weakenings.ts";

type Files = Readonly<Record<string, string>>;

/** Returns the diff of the files with their whole text, as git shows it; `""` stands for no file. */
function diffOf(before: Files, after: Files): string {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths
    .filter((path) => before[path] !== after[path])
    .map((path) => {
      const [old = "", now = ""] = [before[path], after[path]];
      const mode = old === "" ? "new file mode 100644\n" : now === "" ? "deleted file mode 100644\n" : "";
      return `diff --git a/${path} b/${path}\n${mode}--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n${bodyOf(old, now)}`;
    })
    .join("");
}

/** Removes and adds the lines between the equal beginning and the equal end. */
function bodyOf(old: string, now: string): string {
  const [before, after] = [linesOf(old), linesOf(now)];
  let [head, tail] = [0, 0];
  while (head < before.length && before[head] === after[head]) head += 1;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const marked = (mark: string, lines: readonly string[]): string =>
    lines.map((line) => `${mark}${line}\n`).join("");
  return [
    marked(" ", before.slice(0, head)),
    marked("-", before.slice(head, before.length - tail)),
    marked("+", after.slice(head, after.length - tail)),
    marked(" ", before.slice(before.length - tail)),
  ].join("");
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

export interface Change {
  readonly commands?: readonly string[];
  readonly before?: Files;
  readonly after: Files;
  readonly protect?: string;
  readonly task?: string;
  /** Untracked: the diff does not have them. */
  readonly created?: Files;
}

/** Returns what `weakenings` says of a change; only the files that it compares are in the diff. */
export function found({
  commands = ["npm test"],
  before = {},
  after,
  protect = "",
  created = {},
  task = "",
}: Change): readonly string[] {
  const verifiers = {
    commands,
    texts: new Map(Object.entries(before)),
    isProtected: (path: string) => protect !== "" && path.startsWith(protect),
    task,
  };
  const files = [...new Set([...Object.keys(after), ...Object.keys(created)])];
  const compared = new Set(filesToCompare(files, verifiers));
  const only = (some: Files): Files =>
    Object.fromEntries(Object.entries(some).filter(([path]) => compared.has(path)));
  const diff = diffOf(
    only(Object.fromEntries(Object.keys(after).map((path) => [path, before[path] ?? ""]))),
    only(after),
  );
  return describeWeakenings(
    weakenings(verifiers, { files, diff, created: new Map(Object.entries(only(created))) }),
  );
}
