import fc from "fast-check";
import { expect, test } from "vitest";
import { samplePromptRequest, sampleTask } from "../../test/sample-prompt.ts";
import { safe } from "../base/safe-text.ts";
import type { Recalled } from "../memory/port/memory-kind.ts";
import { storedText } from "../trust/stored-text.ts";
import { buildPrompt } from "./build-prompt.ts";
import { builtInTemplate, exportedTemplate, parseTemplate } from "./template.ts";

const memory = (section: string): Recalled => {
  const item = {
    id: `${section}-1`,
    text: storedText(`- recalled by {{task}} ${section}`),
    short: safe``,
    score: 1,
    reason: "test",
  };
  return {
    section,
    heading: storedText(`### ${section}`),
    lead: safe``,
    items: [item],
    tail: safe``,
    drop: "last",
  };
};

const request = (changes = {}) =>
  samplePromptRequest({
    task: sampleTask({ acceptance: ["accepts 2024-02-29"], description: "Use {{status}} here." }),
    recalled: ["attempts", "stuck", "learnings", "status"].map(memory),
    messages: [
      { id: "m-1", taskId: null, text: "Be quick.", createdAt: "2026-03-01T10:00:00.000Z" },
    ] as never,
    ...changes,
  });

const built = (text: string) => buildPrompt(request({ template: parseTemplate(text, "prompt.md") }));

test("PROMPT-5: the exported template gives exactly the built-in prompt", () => {
  expect(parseTemplate(exportedTemplate(), "prompt.md")).toEqual(builtInTemplate);
  expect(built(exportedTemplate()).prompt).toBe(buildPrompt(request()).prompt);
});

test("PROMPT-5: a person's text surrounds the slots in order; comments and empty slots are omitted", () => {
  const { prompt, sections } = built(
    "# House rules of {{ root }}\n<!-- {{nonsense}}\n-->\n\n{{skills}}\n{{ task }}\n\nTry {{attempt}} of {{taskId}}: \\{{x}}\r\n{{learnings}}\n{{verification}}\n{{finish}}",
  );
  expect(prompt.startsWith("# House rules of `/home/ada/dates`\n\n## Task\n\nDo only the task")).toBe(true);
  expect(prompt).toContain(
    "\n\nTry 1 of `t-1`: {{x}}\n\n### learnings\n\n- recalled by {{task}} learnings\n\n## Verif",
  );
  expect(prompt).toContain("Use {{status}} here.");
  expect(prompt).not.toContain("nonsense");
  expect(sections.map(({ name }) => name)).toEqual([
    "template",
    "task",
    "template",
    "learnings",
    "verification",
    "finish",
    "acceptance",
    "messages",
    "stuck",
  ]);
});

test("PROMPT-5: without slots the task, its verification and the sigils are still there; dropped memory is reported", () => {
  const { prompt, sections, dropped } = built("Work well.");
  expect(sections.map(({ name }) => name)).toEqual([
    "template",
    "task",
    "acceptance",
    "messages",
    "stuck",
    "verification",
    "finish",
  ]);
  expect(prompt).toContain("<task-done>t-1</task-done>");
  expect(dropped).toEqual(
    ["attempts", "learnings", "status"].map((section) => ({
      section,
      id: `${section}-1`,
      reason: `the template has no {{${section}}}`,
    })),
  );
});

test.each([
  ["{{taks}}", 'prompt.md:2: unknown slot "{{taks}}"', "did you mean {{task}}?"],
  ["see {{ secrets.KEY }}", 'prompt.md:2: unknown slot "{{ secrets.KEY }}"', "\\{{"],
  ["{{task", "prompt.md:2: unclosed slot: {{ has no }}", "}}"],
  ["do {{task}} now", "prompt.md:2: slot {{task}} is not alone on its line", "its own line"],
  ["{{task}}\n{{task}}", "prompt.md:3: duplicate slot {{task}}", "once"],
])("PROMPT-5: a template with %j is refused with its line and a hint", (text, message, hint) => {
  const error = (() => {
    try {
      return parseTemplate(`<!-- a\ncomment -->${text}`, "prompt.md");
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toMatchObject({ code: "RALPH_PROMPT_SLOT", message, hint: expect.stringContaining(hint) });
});

test("PROMPT-5, PROMPT-2: every template shows each required section once, and memory keeps its budget", () => {
  const line = fc.oneof(
    fc.constantFrom(
      ...["context", "task", "attempts", "stuck", "learnings", "finish", "status"].map((n) => `{{${n}}}`),
    ),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { maxLength: 12 }),
      fc.integer({ min: 500, max: 900 }),
      (lines, chars) => {
        let prompt: ReturnType<typeof buildPrompt>;
        try {
          const template = parseTemplate(lines.join("\n"), "prompt.md");
          prompt = buildPrompt(request({ template, budget: { chars, sections: {} } }));
        } catch (error) {
          expect((error as { code?: string }).code).toBe("RALPH_PROMPT_SLOT");
          return;
        }
        const names = prompt.sections.map(({ name }) => name);
        for (const kept of ["task", "acceptance", "messages", "stuck", "verification", "finish"]) {
          expect(names.filter((name) => name === kept)).toHaveLength(1);
        }
        const spent = prompt.sections.filter(({ name }) =>
          ["attempts", "stuck", "learnings", "status"].includes(name),
        );
        expect(spent.reduce((sum, section) => sum + section.chars + 2, 0)).toBeLessThanOrEqual(chars);
      },
    ),
  );
});
