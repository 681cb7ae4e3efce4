import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../test/any-text.ts";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { findSigils } from "./find-sigils.ts";
import { sigilNames } from "./read/sigil-names.ts";

const found = (text: string): string[] => findSigils(text).map((sigil) => `${sigil.name}:${sigil.body}`);
const done = "<task-done>t-1</task-done>";

describe("what is a sigil", () => {
  test.each<[string, string, string[]]>([
    ["alone", done, ["task-done:t-1"]],
    ["after prose", `All good.\n\n${done}\n`, ["task-done:t-1"]],
    ["with Windows line ends", `Fine.\r\n${done}\r\nBye.`, ["task-done:t-1"]],
    ["indented by three spaces, blanks after it", `   ${done} \t`, ["task-done:t-1"]],
    ["over several lines", "<note type='tip'>\n a\n b\n</note>", ["note:\n a\n b\n"]],
    ["two on a line", `${done} <next-model>opus</next-model>`, ["task-done:t-1", "next-model:opus"]],
    ["two without a blank", `${done}<promise>COMPLETE</promise>`, ["task-done:t-1", "promise:COMPLETE"]],
    ["empty body", "<task-done></task-done>", ["task-done:"]],
    ["first never closed", `<task-done>\n${done}`, ["task-done:t-1"]],
    ["after another, never closed", `<learning category="x" tags="y">lost\n${done}`, ["task-done:t-1"]],
    [
      "its body fenced",
      "<failure-report>\nstack_trace: ```\nx\n```\n</failure-report>\n<promise>COMPLETE</promise>",
      ["failure-report:\nstack_trace: ```\nx\n```\n", "promise:COMPLETE"],
    ],
    ["after a fence that was closed", `\`\`\`sh\nls\n\`\`\`\n${done}`, ["task-done:t-1"]],
    ["after code on one line", `\`\`\`${done}\`\`\`\n<promise>A</promise>`, ["promise:A"]],
    [
      "markup in its body",
      "<learning category='a' tags='b'>Use <T> and a > b.</learning>",
      ["learning:Use <T> and a > b."],
    ],
  ])("SIG-10: %s", (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test("SIG-6: attributes in double or single quotes, also self-closing", () => {
    const text = `<memory-used id="l-1" verdict='helpful'/>\n<note  type = "tip" id='a "b" > c' >x</note>`;
    expect(findSigils(text)).toEqual([
      { name: "memory-used", attributes: { id: "l-1", verdict: "helpful" }, body: "", onLastLine: false },
      { name: "note", attributes: { type: "tip", id: 'a "b" > c' }, body: "x", onLastLine: true },
    ]);
  });

  test("an attribute named twice keeps its first value, and none reaches the prototype", () => {
    const [sigil] = findSigils(`<note type="a" type="b" __proto__="c">x</note>`);
    expect(sigil?.attributes["type"]).toBe("a");
    expect(Object.getPrototypeOf(sigil?.attributes)).toBe(Object.prototype);
  });

  test.each(sigilNames)("SIG-1: <%s> is known, in this case only", (name) => {
    expect(found(`<${name}>x</${name}>`)).toEqual([`${name}:x`]);
    expect(found(`<${name.toUpperCase()}>x</${name.toUpperCase()}>`)).toEqual([]);
    expect(found(`<x${name}>x</x${name}>`)).toEqual([]);
    expect(found(`<${name}s>x</${name}s>`)).toEqual([]);
  });
});

describe("what is none", () => {
  const fence = "```";
  test.each<[string, string]>([
    ["a mention in a sentence", `I will print ${done} when I am done.`],
    ["a mention that begins the sentence", `${done} is what I print when I am done.`],
    ["a mention at a sentence's end", `When done, I print ${done}`],
    ["a full stop after it", `${done}.`],
    ["inline code", `\`${done}\``],
    ["bold", `**${done}**`],
    ["a quotation", `> ${done}`],
    ["a quotation, indented", `  > > ${done}`],
    ["a list item", `- ${done}\n* ${done}\n1. ${done}\n- [ ] ${done}`],
    ["a heading or table", `# ${done}\n| ${done} |`],
    ["indented code", `    ${done}\n\t${done}\n  \t${done}`],
    ["fenced code", `${fence}\n${done}\n${fence}`],
    ["fenced code with an info string", `${fence}xml title="x"\n${done}\n${fence}`],
    ["tildes", `~~~ \`\`\` xml\n${done}\n~~~`],
    ["a fence never closed", `${fence}\n${done}\n${done}`],
    ["a fence in a longer one", `${fence}${fence}\n${fence}\n${done}\n${fence}\n${done}\n${fence}${fence}`],
    ["tildes in backticks", `${fence}\n~~~\n${done}\n${fence}`],
    ["a fence closed only by an indented run", `${fence}\n    ${fence}\n${done}\n${fence}`],
    ["a run with words does not close", `${fence}\n${fence} x\n${done}\n${fence}`],
    ["an indented fence", `   ${fence}\n${done}\n  ${fence}`],
    ["a fence in a list item", `- ${fence}\n  ${done}\n  ${fence}\n10. ${fence}\n   ${done}\n    ${fence}`],
    ["never closed", "<task-done>t-1\n"],
    ["closed by another name", "<task-done>t-1</task-failed>"],
    ["closed in another case", "<task-done>t-1</Task-Done>"],
    ["words after a body of several lines", `<note type="tip">\n${done}\n</note> and so on`],
    ["more than sigils on the line", `${done} <next-model>opus</next-model> I hope`],
    [
      "unquoted or broken attributes",
      `<note type=tip>x</note>\n<note type="tip>x</note>\n<note type>x</note>`,
    ],
    ["attributes without a blank", `<note type="tip"id="x">x</note>`],
    ["a tag broken over lines", `<note\ntype="tip">x</note>`],
    ["blank in the name", "< task-done>t-1</task-done>\n<task -done>t-1</task-done>"],
    ["escaped", "&lt;task-done&gt;t-1&lt;/task-done&gt;"],
  ])("SIG-10: %s", (_, text) => {
    expect(found(text)).toEqual([]);
  });

  test("SIG-7: what another sigil holds is its text", () => {
    expect(found(`<learning category="a" tags="b">\n${done}\n</learning>`)).toEqual([`learning:\n${done}\n`]);
  });
});

describe("SIG-7: hostile input", () => {
  const many = 100_000;
  const ten = 10 * 1024 * 1024;
  test.each<[string, string]>([
    ["100,000 unclosed tags", "<task-done>\n".repeat(many)],
    ["100,000 unclosed tags on a line", "<task-done>".repeat(many)],
    [
      "unclosed tags of every name in turn",
      sigilNames
        .map((name) => `<${name}>\n`)
        .join("")
        .repeat(many / 10),
    ],
    ["mentions within one body", `<note type="tip">${"x <note ".repeat(many)}</note>x`],
    ["tags reopened before one close", `${"<note type='tip'>\n".repeat(many)}</note>x`],
    ["closed tags with words after", "<note>\n</note> x\n".repeat(many)],
    ["unclosed quotes", `<note type="${"<note type='\n".repeat(many)}`],
    ["one endless attribute list", `<note ${'a="b" '.repeat(many)}`],
    ["closing tags only", "</task-done>\n".repeat(many)],
    ["fences", "```\n~~~\n".repeat(many)],
    ["list markers before a fence", `${"- ".repeat(many)}\`\`\``],
    ["ten megabytes of one line", "<".repeat(ten)],
    ["ten megabytes of blanks", " ".repeat(ten)],
  ])("%s take linear time", (_, text) => {
    const started = performance.now();
    expect(findSigils(text).filter((sigil) => sigil.name === "task-done")).toEqual([]);
    expect(performance.now() - started).toBeLessThan(scaledLimit(2000));
  });

  test("100,000 sigils are all found", () => {
    expect(findSigils(`${done}\n`.repeat(many))).toHaveLength(many);
  });

  test("nothing throws, and every body is a part of the text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...sigilNames.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} a="`, `<${name}/>`]),
      ),
      fc.constantFrom(
        "\n",
        "```",
        "~~~",
        "    ",
        "> ",
        '"',
        "'",
        "=",
        "/>",
        "\0",
        "\ud800",
        "\udc00",
        "\r\n",
      ),
      anyText(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join("");
        for (const sigil of findSigils(text)) expect(text).toContain(sigil.body);
      }),
      { numRuns: 150 },
    );
  });

  test("a sigil inside any fence is never found", () => {
    const line = anyText().map((text) => text.replace(/[`~\n]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("```", "~~~~", "`````"), (lines, run) => {
        expect(found([run, ...lines, done, ...lines].join("\n"))).toEqual([]);
      }),
    );
  });
});
