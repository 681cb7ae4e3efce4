import type { FileDiff } from "../parse-diff.ts";

interface Silencers {
  readonly files: RegExp;
  /** Each sort is counted for itself: one for a whole file does not take the place of one for a line. */
  readonly sorts: readonly RegExp[];
}

/** Comments and attributes that silence a checker of types, lint or coverage. Each pattern needs linear time. */
const silencers: readonly Silencers[] = [
  {
    files: /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/,
    sorts: [
      /(?:\/\/|\/\*)[ \t]{0,9}@ts-nocheck\b/g,
      /(?:\/\/|\/\*)[ \t]{0,9}@ts-(?:ignore|expect-error)\b/g,
      /(?:\/\/|\/\*)[ \t]{0,9}(?:eslint|oxlint|tslint)[-:]disable[- :](?:next-)?line\b/g,
      /\/\*[ \t]{0,9}(?:eslint|oxlint|tslint)[-:]disable(?![-:])/g,
      /(?:\/\/|\/\*)[ \t]{0,9}(?:deno-lint-ignore|biome-ignore)(?:-file|-all)\b/g,
      /(?:\/\/|\/\*)[ \t]{0,9}(?:deno-lint-ignore|biome-ignore)(?!-file|-all)/g,
      /(?:\/\/|\/\*)[ \t]{0,9}(?:istanbul|c8|v8|node:coverage)[ \t](?:ignore|disable)\b/g,
    ],
  },
  {
    files: /\.pyi?$/,
    sorts: [
      /#[ \t]{0,9}(?:flake8|ruff)[ \t]?:[ \t]?noqa|#[ \t]{0,9}mypy:[ \t]?(?:ignore-errors|disable-error-code)|#[ \t]{0,9}pylint:[ \t]?skip-file/g,
      /#[ \t]{0,9}noqa\b/gi,
      /#[ \t]{0,9}(?:type|pyright|ty)[ \t]?:[ \t]?(?:ignore|basic)\b/g,
      /#[ \t]{0,9}pylint[ \t]?:[ \t]?disable/g,
      /#[ \t]{0,9}pragma[ \t]?:[ \t]?no (?:cover|branch)/gi,
      /#[ \t]{0,9}nosec\b/g,
    ],
  },
  { files: /\.rs$/, sorts: [/#!\[(?:allow|expect)\(/g, /#\[(?:allow|expect)\(/g] },
  { files: /\.go$/, sorts: [/\/\/[ \t]?nolint\b/g, /\/\/lint:(?:file-)?ignore\b/g] },
  { files: /\.rb$/, sorts: [/#[ \t]{0,9}rubocop:(?:disable|todo)\b/g, /#[ \t]{0,9}:nocov:/g] },
  { files: /\.(?:java|kts?)$/, sorts: [/@(?:file:)?Suppress(?:Warnings|FBWarnings)?\(/g, /\bNOSONAR\b/g] },
  {
    files: /\.php$/,
    sorts: [/@(?:phpstan-ignore|psalm-suppress|codeCoverageIgnore)/g, /\bphpcs:(?:ignore|disable)/g],
  },
  {
    files: /\.cs$/,
    sorts: [/^[ \t]*#pragma warning disable\b/gm, /\bSuppressMessage\(|\bExcludeFromCodeCoverage\b/g],
  },
  {
    files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx)$/,
    sorts: [/\bNOLINT/g, /\b(?:GCC|LCOV)_EXCL/g, /#pragma (?:GCC|clang) diagnostic ignored/g],
  },
  { files: /\.(?:sh|bash|bats)$/, sorts: [/#[ \t]{0,9}shellcheck disable=/g] },
  { files: /\.swift$/, sorts: [/\bswiftlint:disable\b/g] },
  { files: /\.dart$/, sorts: [/\/\/[ \t]?ignore(?:_for_file)?:/g, /\bcoverage:ignore/g] },
];

/** Returns true for the sources in which such comments can be counted. */
export function canSilence(path: string): boolean {
  return sortsFor(path).length > 0;
}

function sortsFor(path: string): readonly RegExp[] {
  return silencers.find(({ files }) => files.test(path))?.sorts ?? [];
}

/** Returns a warning for each file that has more such comments than before. What moves to another file is not counted. */
export function silencedMore(files: ReadonlyMap<string, FileDiff>): readonly string[] {
  const more = [...files].map(([path, file]) => [path, moreIn(path, file)] as const);
  const found = more.filter(([, places]) => places.length > 0);
  if (found.length === 0) return [];
  const left = goneFrom(files);
  return found.flatMap(([path, places]) => {
    const added = places.filter((place) => !take(left, place)).length;
    if (added === 0) return [];
    const what = added === 1 ? "1 more comment that silences" : `${added} more comments that silence`;
    return [`${what} a checker in ${path}`];
  });
}

/** How often each place was taken away from a file, and may stand in another one now. */
function goneFrom(files: ReadonlyMap<string, FileDiff>): Map<string, number> {
  const gone = new Map<string, number>();
  for (const [path, { before, after }] of files)
    for (const place of moreIn(path, { before: after, after: before }))
      gone.set(place, (gone.get(place) ?? 0) + 1);
  return gone;
}

function take(left: Map<string, number>, place: string): boolean {
  const count = left.get(place) ?? 0;
  if (count > 0) left.set(place, count - 1);
  return count > 0;
}

/** Returns as many places as there are more comments of a sort than before: the new ones first. */
function moreIn(path: string, { before, after }: Pick<FileDiff, "before" | "after">): readonly string[] {
  const sorts = sortsFor(path);
  const text = after.join("\n");
  return sorts.flatMap((sort) => {
    if (text.search(sort) < 0) return [];
    const [old, now] = [placesOf(before, sort), placesOf(after, sort)];
    const known = new Set(old);
    const isNew = now.filter((place) => !known.has(place));
    const more = Math.max(0, now.length - old.length);
    return [...isNew, ...now].slice(0, more);
  });
}

/** Each comment with its line and the next one, which name it. */
function placesOf(lines: readonly string[], sort: RegExp): readonly string[] {
  return lines.flatMap((line, at) => {
    const count = line.match(sort)?.length ?? 0;
    const place = `${line.trim()}\n${lines[at + 1]?.trim() ?? ""}`;
    return Array.from({ length: count }, () => place);
  });
}
