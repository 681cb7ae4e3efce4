import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { practice } from "../e2e/practice.ts";
import { claude, found, newRequest, program } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";

/** A journal in a folder of its own, beside one that is nobody's. */
function newJournal() {
  const base = mkdtempSync(join(tmpdir(), "ralph-journals-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, "shop-1");
  mkdirSync(folder);
  mkdirSync(join(base, "other"));
  const path = join(folder, "x-learnings.md");
  appendFileSync(path, "<!-- guide -->\n");
  return { path, folder, change: "x", other: join(base, "other", "x.md") };
}

describe.skipIf(!found)("the genuine Claude Code and its journal", () => {
  test("JOURNAL-2 AGENT-4: with permission edit it reads and edits the journal, and nothing beside its folder", async () => {
    const { other, ...journal } = newJournal();
    const server = await startModelServer([
      { tool: "Read", input: { file_path: journal.path } },
      {
        tool: "Edit",
        input: {
          file_path: journal.path,
          old_string: "guide -->",
          new_string: "guide -->\n\nThe API wants UTC.",
        },
      },
      { tool: "Write", input: { file_path: other, content: "not mine" } },
      { text: "Done." },
    ]);
    const result = await claude(server.url).run(newRequest({ journal }));
    await server.close();
    expect(result.error).toBeNull();
    expect(readFileSync(journal.path, "utf8")).toBe("<!-- guide -->\n\nThe API wants UTC.\n");
    expect(existsSync(other)).toBe(false);
    expect(result.permissionDenials).toEqual([expect.stringContaining("other/x.md")]);
  });

  test("JOURNAL-2 AGENT-4: with permission shell it appends to $RALPH_JOURNAL by a command", async () => {
    const { other: _, ...journal } = newJournal();
    const server = await startModelServer([
      { command: `echo 'Dates are UTC.' >> "$RALPH_JOURNAL"` },
      { command: `echo 'Months count from 0.' >> ${journal.path}` },
      { text: "Done." },
    ]);
    const result = await claude(server.url, { permission: "shell" }).run(newRequest({ journal }));
    await server.close();
    expect(result).toMatchObject({ error: null, permissionDenials: [] });
    expect(readFileSync(journal.path, "utf8")).toBe("<!-- guide -->\nDates are UTC.\nMonths count from 0.\n");
  });

  test("JOURNAL-1 JOURNAL-3 JOURNAL-4: in the loop, what it appends by the path of its prompt is in the next prompt", async () => {
    const lesson = "double() multiplies: adding two passes for 2 only.";
    const server = await startModelServer((body) => {
      const path = /`([^`]+-learnings\.md)` is your journal/.exec(JSON.stringify(body.messages))?.[1] ?? "";
      return [
        { tool: "Read", input: { file_path: path } },
        { tool: "Edit", input: { file_path: path, old_string: "-->\n", new_string: `-->\n\n- ${lesson}\n` } },
        { tool: "Write", input: { file_path: join(made.dir, "double.mjs"), content: "export {};\n" } },
        { text: "Written.\n\n<task-done>t-1</task-done>" },
      ];
    });
    const made = practice(undefined, {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_MAX_RETRIES: "0",
    });
    onTestFinished(() => made.remove());
    onTestFinished(() => server.close());
    made.write(
      ".ralph/config.yaml",
      `agent: claude\nagents:\n  claude: { program: ${JSON.stringify(program)}, tiers: [claude-haiku-4-5, claude-sonnet-4-5, claude-opus-4-5] }\nverify: ["true"]\n`,
    );
    await made.approveConfig();
    await made.addTasks(["Write double(n)", "Use double(n)"]);
    const { code, events } = await made.run("--once", "--allow-dirty");
    const end = events.find(({ type }) => type === "iteration.finished");
    expect(end).toMatchObject({ outcome: "done", permissionDenials: [], warnings: [] });
    expect(code).toBe(3);
    const { stdout } = await made.ralph("context", "t-2");
    expect(stdout).toMatch(new RegExp(`<data-(\\w+)>\n- ${lesson.replace(/[().]/g, "\\$&")}\n</data-\\1>`));
  });
});
