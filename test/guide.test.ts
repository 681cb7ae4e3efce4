import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { documentedKey } from "../scripts/config-reference.ts";
import { commands } from "../src/cli/command-table.ts";
import { settingFlags } from "../src/cli/run/run-flags.ts";
import type { CommandSpec, Invocation } from "../src/cli/shell/command.ts";
import { parse } from "../src/cli/shell/parse.ts";
import { settingKeys } from "../src/config/keys.ts";
import { loadSettings } from "../src/config/load-settings.ts";
import { readClaims } from "../src/outcome/read-claims.ts";
import { sigilNames } from "../src/sigils/read/sigil-names.ts";
import { formatOf } from "../src/tasks/import/source-formats.ts";
import { type CodeBlock, codeBlocks, codeSpans, commandLines, wordsOf } from "./guide-pages.ts";

const folder = "docs/guide";
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));
const textOf = (page: string): string => readFileSync(join(folder, page), "utf8");
const blocks: readonly (CodeBlock & { readonly page: string })[] = pages.flatMap((page) =>
  codeBlocks(textOf(page)).map((block) => ({ page, ...block })),
);
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
const eventTypes = readFileSync("src/events/run-events.ts", "utf8");
const scratch = mkdtempSync(join(tmpdir(), "ralph-guide-"));
afterAll(() => rmSync(scratch, { recursive: true }));

test("every page of the guide is short, is in its index, and every link leads to a file", () => {
  const linked = (path: string): readonly string[] =>
    [...readFileSync(path, "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = ""]) => target);
  expect(linked("README.md")).toContain("docs/guide/README.md");
  expect(linked(join(folder, "README.md")).toSorted()).toEqual(
    pages.filter((page) => page !== "README.md").toSorted(),
  );
  for (const page of pages) {
    expect(textOf(page).split("\n").length - 1, `lines of ${page}`).toBeLessThanOrEqual(150);
    for (const [, path = "", anchor] of textOf(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#([^)]+))?/g)) {
      const target = join(folder, path);
      expect(existsSync(target), `${page}: ${path}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readFileSync(target, "utf8")), page).toContain(anchor);
    }
  }
});

describe("UX-5: every configuration of the guide is loaded without an error or a warning", () => {
  const yaml = blocks.filter(({ language }) => language === "yaml");
  test.each(yaml.map((block) => [`${block.page}:${block.line}`, block.text] as const))(
    "%s",
    async (_, text) => {
      const file = join(scratch, "config.yaml");
      writeFileSync(file, text);
      const env = { XDG_CONFIG_HOME: scratch };
      const { warnings, origins } = await loadSettings({ cwd: scratch, file, env });
      expect(warnings).toEqual([]);
      expect(Object.values(origins)).toContain(file);
    },
  );
  test("the settings that the text names exist", () => {
    const keys = new Set(settingKeys.flatMap(({ key }) => [key, documentedKey(key)]));
    const groups = new Set([...keys].map((key) => key.split(".")[0]));
    const isEvent = (text: string): boolean => eventTypes.includes(`"${text}": `);
    const isKey = (text: string): boolean =>
      /^[a-z]+(?:\.[A-Za-z]+)+$/.test(text) && groups.has(text.split(".")[0]) && !isEvent(text);
    const named = pages.flatMap((page) => codeSpans(textOf(page))).filter(isKey);
    expect(
      named.filter((key) => !keys.has(key) && ![...keys].some((one) => one.startsWith(`${key}.`))),
    ).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });
});

describe("UX-4: every command line of the guide is one that ralph accepts", () => {
  const others = /^(?:git|claude) /;
  const lines = pages.flatMap((page) => commandLines(textOf(page)).map((line) => [page, line] as const));
  test("the pages have command lines, and those of other programs are few", () => {
    expect(lines.length).toBeGreaterThan(60);
    const foreign = lines.map(([, line]) => line).filter((line) => !line.startsWith("ralph "));
    expect(foreign.filter((line) => !others.test(line))).toEqual([]);
  });
  test.each(lines.filter(([, line]) => line.startsWith("ralph ")))("%s: %s", async (_, line) => {
    const parsed = await parse(commands, wordsOf(line).slice(1));
    if ("text" in parsed) return;
    expect(unknownChoices(parsed.spec, parsed.invocation)).toEqual([]);
    const flags = parsed.path === "run" ? settingFlags(parsed.invocation.options) : {};
    await loadSettings({ cwd: scratch, file: null, env: {}, flags });
  });
});

/** Returns the values of a command line that are not among those that the command knows. */
function unknownChoices(spec: CommandSpec, { args, options }: Invocation): readonly string[] {
  const chosen = [
    ...(spec.arguments ?? []).map(
      ({ name, choices }) => [args[name.replace(/[<>[\].]/g, "")], choices] as const,
    ),
    ...(spec.options ?? []).map(
      ({ flags, choices }) => [options[/--([\w-]+)/.exec(flags)?.[1] ?? ""], choices] as const,
    ),
  ];
  return chosen.flatMap(([value, choices]) => {
    return choices && typeof value === "string" && !choices.includes(value) ? [value] : [];
  });
}

describe("TASK-4: the page of task lists", async () => {
  const lists = codeBlocks(textOf("tasks.md")).filter(({ language }) => language !== "console");
  const read = await Promise.all(
    lists.map(({ language, text }) => {
      const source = { path: `list.${language === "markdown" ? "md" : language}`, text };
      return formatOf(source).parse(source);
    }),
  );
  test("has an example of each format that people write, read without a warning", () => {
    expect(lists.map(({ language }) => language)).toEqual(["markdown", "yml", "json"]);
    expect(read.flatMap(({ warnings }) => warnings)).toEqual([]);
  });
  test("shows the tree of its Markdown example", () => {
    const tree = codeBlocks(textOf("tasks.md")).find(({ language }) => language === "console")?.text ?? "";
    expect(read[0]?.tasks.map(({ title }) => title).filter((title) => !tree.includes(title))).toEqual([]);
  });
});

describe("SIG-1: the page of sigils", () => {
  const page = textOf("sigils.md");
  const rows = [...page.matchAll(/^\| `(<([a-z-]+).*?)` \| (.+) \|$/gm)];
  const examples = [...rows.map(([, form = ""]) => form), ...codeBlocks(page).map(({ text }) => text)];
  test("names every sigil once, in the order of the source", () => {
    expect(rows.map(([, , name]) => name)).toEqual([...sigilNames]);
  });
  test.each(sigilNames)("has an example of <%s> that is read as a claim", (name) => {
    const closed = new RegExp(`</${name}>|/>`);
    const [example, ...more] = examples.filter((text) => text.startsWith(`<${name}`) && closed.test(text));
    expect(more).toEqual([]);
    expect(readClaims(example ?? "", "t-1")).not.toEqual(readClaims("", "t-1"));
  });
});

test("CTX-2: the page of hooks names events and fields that a run has", () => {
  const rows = [...textOf("hooks.md").matchAll(/^\| `([a-z]+\.[a-z]+)` \| .+ \| (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [, type = "", fields = ""] of rows) {
    const body = eventTypes.split(`"${type}": `)[1]?.split(/\n {2}(?:\/\*\*|")/)[0] ?? "";
    for (const field of codeSpans(fields)) expect(`${type}: ${body}`).toMatch(new RegExp(`\\b${field}\\b`));
  }
});
