import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { requirements } from "./requirements.ts";

const ids = requirements.map(({ id }) => id);
const prefixes = [...new Set(ids.map((id) => id.replace(/-\d+$/, "")))];
const anyId = new RegExp(`\\b(?:${prefixes.join("|")})-\\d+\\b`, "g");

/** The ids that the titles of a test file name: of `describe` and `test`, and what `.each` fills into them. */
function citedBy(path: string, text: string): readonly string[] {
  const titles: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      titles.push(node.text);
    }
    ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText();
      if (/^(?:describe|test|it)\b/.test(callee)) node.arguments.slice(0, 1).forEach(collect);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true));
  return titles.flatMap((title) => title.match(anyId) ?? []);
}

const files = ["src", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
);
const cited = new Map<string, string[]>();
for (const path of files.filter(
  (name) => /\.test\.tsx?$/.test(name) && name !== "test/requirements.test.ts",
)) {
  for (const id of citedBy(path, readFileSync(path, "utf8"))) cited.set(id, [...(cited.get(id) ?? []), path]);
}

describe("the gate", () => {
  test("no requirement is listed twice", () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("each has words of its own", () => {
    const texts = requirements.map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text) => text.length < 5)).toEqual([]);
  });

  test("every id that a test cites exists", () => {
    const unknown = [...cited]
      .filter(([id]) => !ids.includes(id))
      .map(([id, by]) => `${id} in ${by.join(", ")}`);
    expect(unknown).toEqual([]);
  });

  test("every requirement that is built, if only in part, is cited by a test", () => {
    const built = requirements.filter((requirement) => requirement.built !== false);
    expect(built.filter(({ id }) => !cited.has(id)).map(({ id, text }) => `${id} ${text}`)).toEqual([]);
  });

  test("no test cites a requirement that is listed as not built", () => {
    const open = requirements.filter(({ id, built }) => built === false && cited.has(id));
    const hint = "list it as true, or as `without …`, in test/requirements.ts";
    expect(open.map(({ id }) => `${id} in ${cited.get(id)?.join(", ")}: ${hint}`)).toEqual([]);
  });

  test("what is missing of a requirement is named", () => {
    const named = requirements.flatMap(({ built }) => (typeof built === "string" ? [built] : []));
    expect(named.filter((text) => !/^without \S.{4}/.test(text))).toEqual([]);
  });
});

describe("what counts as a citation", () => {
  const known = "LOOP-4";
  test.each([
    [`test("${known}: x", () => {})`, [known]],
    [`describe('${known}: x', () => { it("y", () => {}) })`, [known]],
    [`test.each([["${known}: a", 1]])("%s", () => {})`, [known]],
    [`test(\`${known} \${x} LOOP-5\`, () => {})`, [known, "LOOP-5"]],
    [`// ${known}\ntest("x", () => { /* ${known} */ })`, []],
    [`test("x", () => { say("${known}") })`, []],
    [`const s = "${known}"; run("${known}")`, []],
    [`test("XLOOP-4 LOOP-x loop-4 SHA-256 UTF-8", () => {})`, []],
  ])("%s", (text, expected) => {
    expect(citedBy("a.test.ts", text)).toEqual(expected);
  });
});
