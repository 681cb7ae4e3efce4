import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../src/base/hash.ts";
import { openStore } from "../../src/store/open-store.ts";
import { splitTask, tillFiles, tillWorker } from "../fakes/till-project.ts";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

/** One run over six tasks with sub-tasks, whose agent fails as agents do. Every prompt is pinned as the agent got it. */
let project: Practice;
let code: number | null;
let events: readonly RunEvent[];

beforeAll(async () => {
  project = practice(tillFiles);
  await project.useWorker(tillWorker, 'verify: ["node check.mjs"]\n');
  await project.ralph("task", "import", "tasks.md");
  ({ code, events } = await project.run());
}, 120_000);

afterAll(() => project?.remove());

test("LOOP-1 LOOP-14: the run ends with one task that needs a person, all others done", () => {
  const attempts = finished(events).map(({ taskId, attempt, outcome }) => `${taskId}#${attempt} ${outcome}`);
  expect(attempts).toEqual([
    ...["1.1#1 failed", "1.1#2 failed", "1.1#3 done", "1.2#1 failed", "1.2#2 done"],
    ...["2.1#1 no_sigil", "2.1#2 failed", "2.1#3 done", "2.2#1 no_sigil", "2.2#2 done"],
    // The agent ends without a result here: another task comes first, and no attempt counts.
    ...[`${splitTask}#1 failed`, `${splitTask}#2 failed`, "4.1#1 done"],
    ...["3 failed", "4 failed", "5 failed"].map((end) => `${splitTask}#${end}`),
    ...["4.2#1 no_sigil", "4.2#2 done", "t-a7f41a#1 done", "6.1#1 done", "6.2#1 done"],
  ]);
  expect(code).toBe(4);
});

test("IF-3: status says when the run ended, as the other commands do", async () => {
  expect((await project.answer("status")).stdout).toMatch(/ended \d{4}-\d\d-\d\d \d\d:\d\d UTC: stuck, /);
});

test("PROMPT-1 PROMPT-6: every prompt of the run is as approved", async () => {
  const folder = join(project.dir, "../prompts");
  const names = finished(events).map(({ taskId, attempt }) => `${taskId}-${attempt}.txt`);
  expect(readdirSync(folder).sort()).toEqual([...names].sort());
  const prompts = names.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  await expect(withoutRepeats(stable(prompts))).toMatchFileSnapshot("../pins/prompts-of-a-run.txt");
});

test("PROMPT-3 TRUST-3: each iteration has a fence of its own, whose code no earlier one could know", async () => {
  const db = await openStore({ path: join(project.dir, ".ralph/progress.db"), readOnly: true });
  const rows = await db.all<{ name: string; seed: string; run: string; attempt: number }>(
    `SELECT task_id || '-' || attempt_number AS name, prompt_seed AS seed, run_id AS run, attempt_number AS attempt
     FROM iterations ORDER BY number`,
  );
  await db.close();
  const codeOf = (seed: string): string => sha256(seed).slice(0, 12);
  // An interrupted session has the attempt number of the next one, whose prompt replaces its own.
  const last = new Map(rows.map((row) => [row.name, row]));
  for (const { name, seed, run, attempt } of last.values()) {
    const prompt = readFileSync(join(project.dir, "../prompts", `${name}.txt`), "utf8");
    const codes = new Set(Array.from(prompt.matchAll(/^<data-([0-9a-f]{12})>$/gm), ([, found]) => found));
    // The stored seed gives the same prompt again; the names of run and attempt do not.
    expect([...codes]).toEqual([codeOf(seed)]);
    expect([...codes]).not.toContain(codeOf(`${run} ${attempt}`));
  }
  expect(rows.length).toBeGreaterThan(10);
  expect(new Set(rows.map(({ seed }) => seed)).size).toBe(rows.length);
});

interface Named {
  readonly name: string;
  readonly text: string;
}

/** Names what differs from run to run by the order in which it appears. */
function stable(prompts: readonly Named[]): readonly Named[] {
  const names = new Map<string, string>();
  const named = (kind: string) => (found: string) => {
    const known =
      names.get(found) ?? `${kind}-${[...names.values()].filter((name) => name.startsWith(kind)).length + 1}`;
    names.set(found, known);
    return known;
  };
  return prompts.map(({ name, text }) => ({
    name,
    text: text
      .replaceAll(project.dir, "/home/ada/till")
      .replace(
        /`[^`\n]*\/project-[0-9a-f]{8}\/(?=default-learnings\.md`)/g,
        "`/home/ada/.local/state/ralph/till-1a2b3c4d/",
      )
      .replace(/(?<=<\/?data-)[0-9a-f]{12}(?=>)/g, "0123456789ab")
      .replace(/\bl-[0-9a-f]{6}\b/g, named("l"))
      .replace(/\b[0-9a-f]{10}\b/g, named("commit")),
  }));
}

/** Each section once: where it is the same as in an earlier prompt, a line names that prompt. */
function withoutRepeats(prompts: readonly Named[]): string {
  const first = new Map<string, string>();
  const shown = prompts.map(({ name, text }) => {
    const sections = text.trimEnd().split(/\n(?=#{2,3} )/);
    const lines = sections.map((section) => {
      const earlier = first.get(section.trim());
      first.set(section.trim(), earlier ?? name);
      return earlier ? `${section.split("\n", 1)[0]}: as in ${earlier}` : section.trim();
    });
    return `======== ${name}\n\n${lines.join("\n\n")}\n`;
  });
  return shown.join("\n");
}
