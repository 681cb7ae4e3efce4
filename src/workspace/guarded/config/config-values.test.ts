import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import {
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
} from "../../../../test/temp-repository.ts";
import { configValues } from "./config-values.ts";
import { startTheSame } from "./starting-values.ts";

afterEach(removeTempRepositories);

/** What git itself reads. */
function byGit(folder: TempRepository, text: string): readonly string[] | undefined {
  folder.write("config", text);
  try {
    return folder
      .git("config", "-z", "--no-includes", "--list", "--file", "config")
      .split("\0")
      .filter(Boolean)
      .map((entry) => {
        const [name = "", ...value] = entry.split("\n");
        const parts = name.split(".");
        return blank(`${parts[0]}.${parts.at(-1)}=${value.length === 0 ? "true" : value.join("\n")}`);
      });
  } catch {
    return undefined;
  }
}

/** Versions of git differ in the white space within a value. */
const blank = (text: string): string => text.replaceAll("\t", " ");

const readByUs = (text: string): readonly string[] =>
  configValues(text).map(({ section, key, value }) => blank(`${section}.${key}=${value}`));

const tricky: readonly string[] = [
  '[user][filter "x"]\n\tclean = evil\n',
  '[filter "x"]\n\ta = b\\\n[user]\n\tclean = evil\n',
  '[filter "a]b"] clean = evil # [user]\n',
  "[commit]\n\tgpgsign\n",
  "[filter.x]\nclean=evil\n",
  '[core]\r\n\tfsmonitor = "e\\"v#il" ; x\r\n',
  "\uFEFF[core] hooksPath = /evil\n",
  "# [user]\n[core]\n; editor = no\n editor = a \\\n  b\n",
  '[a "]"]k=v\n[b]\nk-2 = 1\n',
];

test.each(tricky)("LOOP-18: git's configuration is read as git reads it: %j", (text) => {
  expect(readByUs(text)).toEqual(byGit(repositoryAt(tempFolder()), text));
});

const piece = fc.constantFrom(
  ...'[core]|[user]|[filter "x"]|\n|clean = evil|name = a|\\\n|"|#|;| |=|\t|]|[|key|\\\\|a.b'.split("|"),
);

test("LOOP-18: whatever variable git finds in a configuration file, ralph finds too", () => {
  const folder = repositoryAt(tempFolder());
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => `[user]\n${pieces.join("")}\n`);
  fc.assert(
    fc.property(texts, (text) => {
      const theirs = byGit(folder, text);
      if (theirs === undefined) return;
      expect(readByUs(text)).toEqual(theirs);
    }),
    { numRuns: 60 },
  );
});

test("LOOP-18: a planted program in an odd place of the file is not equally safe", () => {
  const before = "[user]\n\tname = Ann\n";
  const planted = tricky.filter((text) => !text.startsWith("\uFEFF")).slice(0, 6);
  for (const text of planted) expect(startTheSame(before, before + text)).toBe(false);
  expect(startTheSame(before, `${before}[user]\n\temail = ann@example.com\n`)).toBe(true);
});

test.each([
  "[gc]\n\trecentObjectsHook = evil\n",
  '[lfs "customtransfer.x"]\n\tpath = evil\n',
  '[lfs "extension.x"]\n\tclean = evil\n',
  '[lfs "extension.x"]\n\tsmudge = evil\n',
  "[init]\n\ttemplateDir = evil\n",
])("LOOP-18: a program among everyday settings is not equally safe: %j", (text) => {
  const before = "[gc]\n\tauto = 0\n[lfs]\n\turl = a\n[init]\n\tdefaultBranch = main\n";
  expect(startTheSame(before, before + text)).toBe(false);
  expect(startTheSame("", before)).toBe(true);
});

test("TRUST-12: a value of 200,000 escapes is read", () => {
  expect(configValues(`[a]\nb=${"\\\\".repeat(200_000)}`)).toMatchObject([{ value: "\\".repeat(200_000) }]);
});
