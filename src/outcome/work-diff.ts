/** The difference of one file, as `git diff` shows it. */
export interface FileDiff {
  created: boolean;
  deleted: boolean;
  /** It is a link, and was a file before. */
  becameLink: boolean;
  /** Its lines are not shown: it is too large. */
  isOpaque: boolean;
  readonly added: string[];
  readonly removed: string[];
  /** Its lines before and now, as far as the diff has context. */
  readonly before: string[];
  readonly after: string[];
}

/** Returns the differences by path. A file that became a link is deleted in one section and created in the next. */
export function parseDiff(diff: string): ReadonlyMap<string, FileDiff> {
  const files = new Map<string, FileDiff>();
  let current: FileDiff | undefined;
  let isInHunk = false;
  for (const line of diff.split("\n")) {
    const path = pathOfHeader(line);
    if (path !== undefined) {
      isInHunk = false;
      current = files.get(path) ?? newDiff();
      files.set(path, current);
    } else if (line.startsWith("@@ ")) isInHunk = true;
    else if (current && isInHunk) noteLine(current, line);
    else if (current) noteHeader(current, line);
  }
  return files;
}

/** Returns the difference of a new file. */
export function createdFile(text: string): FileDiff {
  const lines = text.split("\n");
  return { ...newDiff(), created: true, added: lines, after: lines };
}

function newDiff(): FileDiff {
  const lines = { added: [], removed: [], before: [], after: [] };
  const flags = { created: false, deleted: false, becameLink: false, isOpaque: false };
  return { ...flags, ...lines };
}

function noteHeader(file: FileDiff, line: string): void {
  if (line.startsWith("deleted file mode")) file.deleted = true;
  else if (line.startsWith("new file mode")) {
    file.created = !file.deleted;
    file.becameLink = file.deleted && line.endsWith(" 120000");
    file.deleted = false;
  } else if (/^(?:Binary files |GIT binary patch)/.test(line)) file.isOpaque = true;
}

function noteLine({ added, removed, before, after }: FileDiff, line: string): void {
  const text = line.slice(1);
  // `\ No newline at end of file`
  if (line.startsWith("\\")) return;
  if (!line.startsWith("+")) before.push(text);
  if (!line.startsWith("-")) after.push(text);
  if (line.startsWith("+")) added.push(text);
  if (line.startsWith("-")) removed.push(text);
}

/** Returns the path in `diff --git a/x b/x`; undefined for any other line. */
function pathOfHeader(line: string): string | undefined {
  if (!/^diff --git "?a\//.test(line)) return undefined;
  const at = Math.max(line.lastIndexOf(" b/"), line.lastIndexOf(' "b/'));
  return at < 0 ? undefined : line.slice(line.indexOf("b/", at) + 2).replace(/"$/, "");
}
