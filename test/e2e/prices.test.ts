import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project.remove());

/** An agent that changes a file, uses `usage` and says that task t-N is done; it fails while `fails` is its answer. */
function agentScript(usage: object, format: string): string {
  const words = "Done.\\n<task-done>'\"$RALPH_TASK_ID\"'</task-done>";
  const lines =
    format === "claude-stream-json"
      ? [
          `{"type":"result","subtype":"success","is_error":false,"result":"${words}","usage":${JSON.stringify(usage)}}`,
        ]
      : [`Done.\n<task-done>'"$RALPH_TASK_ID"'</task-done>`];
  const out = lines.map((line) => `printf '%s\\n' '${line}'`).join("\n");
  return `cat > /dev/null\necho "$RALPH_ITERATION" >> "$RALPH_TASK_ID.txt"\n${out}\n`;
}

interface Setup {
  readonly model: string;
  readonly format?: string;
  readonly config?: string;
}

/** A project with three tasks and an agent whose sessions use a million tokens of input, half of them cached. */
async function withAgent({ model, format = "claude-stream-json", config = "" }: Setup): Promise<void> {
  project = practice();
  const usage = { input_tokens: 500_000, cache_read_input_tokens: 500_000, output_tokens: 10_000 };
  writeFileSync(join(project.dir, "../agent.sh"), agentScript(usage, format));
  project.write(
    ".ralph/config.yaml",
    `agent: command\nstrategy: fixed\nverifyBaseline: off\nagents:\n  command: { argv: [sh, ../agent.sh], format: ${format}, model: ${model}, tiers: [${model}] }\n${config}`,
  );
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "configure ralph");
  await project.approveConfig();
  await project.addTasks(["Write one", "Write two", "Write three"]);
}

// $5 a million fresh tokens, $0.50 cached, $30 output.
const sessionUsd = 2.5 + 0.25 + 0.3;

describe("AGENT-2: the cost of an agent that states its tokens only", () => {
  test("comes from the price table, cached input at its own price, and is marked as estimated", async () => {
    await withAgent({ model: "gpt-5.5" });
    const { events } = await project.run("--max-iterations", "2");
    expect(finished(events)).toMatchObject(
      [1, 2].map(() => ({
        costUsd: expect.closeTo(sessionUsd, 6),
        costSource: "price-table",
        outcome: "done",
      })),
    );
    const end = events.at(-1);
    expect(end).toMatchObject({
      costUsd: expect.closeTo(2 * sessionUsd, 6),
      report: { byModel: [{ estimatedUsd: expect.closeTo(2 * sessionUsd, 6), unpriced: 0 }] },
    });
    const { stdout } = await project.ralph("run", "--once");
    expect(stdout).toContain("· ~$3.0500");
    expect(stdout).toMatch(/cost +~\$3\.05 estimated from list prices/);
    expect((await project.ralph("log", "t-1")).stdout).toContain("~$3.0500");
    expect((await project.ralph("log")).stdout).toContain("~$6.10");
    expect(events.some(({ type }) => type === "cost.unknown")).toBe(false);
  });

  test("LOOP-7: counts towards the budget", async () => {
    await withAgent({ model: "gpt-5.5" });
    const { code, events } = await project.run("--budget-usd", "4");
    expect([code, events.at(-1)]).toEqual([3, expect.objectContaining({ reason: "budget", iterations: 2 })]);
  });

  test("LOOP-7 AGENT-9: a model without a price ends a run with a budget after one attempt; own prices let it go on", async () => {
    await withAgent({ model: "our-own-model" });
    const { code, events } = await project.run("--budget-usd", "4");
    expect(events.filter(({ type }) => type === "cost.unknown")).toEqual([
      expect.objectContaining({ agent: "command", model: "our-own-model", budgetUsd: 4 }),
    ]);
    expect(finished(events)).toHaveLength(1);
    expect([code, events.at(-1)]).toMatchObject([
      3,
      { reason: "budget", costUsd: null, hint: expect.stringContaining('prices: { "our-own-model": {') },
    ]);
    const prices = "prices: { our-own-model: { input: 2, output: 10, cached: 0.2 } }\n";
    project.write(".ralph/config.yaml", `${project.read(".ralph/config.yaml")}${prices}`);
    project.git("commit", "-q", "-a", "-m", "price the model");
    await project.approveConfig();
    const priced = await project.run("--budget-usd", "4");
    expect(finished(priced.events)).toMatchObject([
      { costUsd: expect.closeTo(1 + 0.1 + 0.1, 6) },
      { costUsd: expect.closeTo(1 + 0.1 + 0.1, 6) },
    ]);
  });
});
