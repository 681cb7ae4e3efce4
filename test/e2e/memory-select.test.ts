import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { scaledLimit } from "../scaled-limit.ts";
import { variants } from "../test-size.ts";
import { jsonLines, type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const lesson = "Amounts are integer cents, see Money.";
const asks = "Which of the lessons below";

/** The agent's output of a session that cost a cent, as Claude Code prints it. */
const said = (text: string): string =>
  `printf '%s' ${quoted(JSON.stringify({ type: "result", subtype: "success", is_error: false, result: text, total_cost_usd: 0.01 }))}`;
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A project with two tasks and a lesson that none of their words finds, whose agent answers questions of memory by `answer`. */
async function asking(answer: string, more = ""): Promise<Practice> {
  project = practice();
  const made = project;
  await made.useWorker({}, `verify: ["true"]\nmemory: { select: agent }\n${more}`);
  const home = quoted(made.home);
  made.write(
    "../worker.sh",
    `cat > ${home}/$$
if grep -q '${asks}' ${home}/$$; then
  mv ${home}/$$ ${home}/asked
  { pwd; echo "$RALPH_MODEL"; } > ${home}/place
  id=$(grep -o '^l-[0-9a-f]*' ${home}/asked | tail -n 1)
  ${answer}
  exit
fi
mv ${home}/$$ ${home}/prompt-$RALPH_TASK_ID
n=0
if [ $RALPH_TASK_ID != t-3 ]; then until [ -e ${home}/place ] || [ $n = 100 ]; do n=$((n+1)); sleep 0.05; done; sleep 0.6; fi
echo done > $RALPH_TASK_ID.txt
${said("<task-done>$RALPH_TASK_ID</task-done>").replaceAll("$RALPH_TASK_ID", "'$RALPH_TASK_ID'")}
`,
  );
  const argv = JSON.stringify(["sh", join(made.dir, "../worker.sh")]);
  const config = made
    .read(".ralph/config.yaml")
    .replace(/argv: \[.*?\]/, `argv: ${argv}, format: claude-stream-json`);
  made.write(".ralph/config.yaml", config);
  made.git("commit", "-qam", "answer");
  await made.approveConfig();
  await made.addTasks(["Write hello", "Bill the customer in euros"]);
  await made.answer("memory", "store", lesson);
  return made;
}

const picking = said('[{"id":"ID","why":"currency"}]').replaceAll("ID", `'"$id"'`);

test("LEARN-16: while an agent works, its cheapest model picks the next task's learnings, apart from the project; the receipt has its cost", async () => {
  const made = await asking(picking);
  const { code, events } = await made.run();
  expect(code).toBe(0);
  expect(made.read("../home/prompt-t-2")).toContain(lesson);
  expect(made.read("../home/prompt-t-1")).not.toContain(lesson);
  expect(made.read("../home/asked")).toContain("Bill the customer in euros");
  expect(made.read("../home/place")).toMatch(/\.ralph\/tmp\/choice-[0-9a-f]+\nsmall\n$/);
  const chosen = [{ id: expect.stringMatching(/^l-/), why: "currency" }];
  expect(events.filter(({ type }) => type === "learning.selected")).toMatchObject([
    { taskId: "t-2", model: "small", costUsd: 0.01, offered: 1, chosen },
  ]);
  expect(events.at(-1)).toMatchObject({
    costUsd: expect.closeTo(0.03),
    report: { byModel: [{ attempts: 2 }, { model: "small (memory)", attempts: 0, costUsd: 0.01 }] },
  });
  expect(readdirSync(join(made.dir, ".ralph/tmp"))).toEqual([]);
});

test("LEARN-16: the choice is stored: context shows it beside that of the words, and nobody asks again", async () => {
  const made = await asking(picking);
  await made.addTasks([{ id: "t-3", title: "Store integer cents of amounts in Money" }]);
  await made.answer("memory", "store", "The Money table stores amounts by account.");
  await made.run("t-1", "t-3", "--max-iterations", "1");
  const { stdout } = await made.answer("context", "t-3", "--explain");
  expect(stdout).toMatch(/l-[0-9a-f]+ {2}chosen by the agent: currency; matches by words/);
  expect(stdout).toMatch(/l-[0-9a-f]+ {2}words would show it, the agent did not choose it/);
  rmSync(join(made.home, "asked"));
  await made.run("t-2", "t-3", "--max-iterations", "1");
  expect(existsSync(join(made.home, "asked"))).toBe(false);
});

test("LEARN-16: once its questions cost more than their cap, words decide", async () => {
  const made = await asking(picking.replaceAll("0.01", "0.6"));
  await made.addTasks([{ id: "t-3", title: "Round the amounts of a bill" }]);
  const { code, events } = await made.run();
  expect(code).toBe(0);
  expect(events.filter(({ type }) => type === "learning.selected")).toMatchObject([{ taskId: "t-2" }]);
  expect(made.read("../home/prompt-t-2")).toContain(lesson);
  expect(existsSync(join(made.home, "prompt-t-3"))).toBe(true);
});

const many = JSON.stringify(Array.from({ length: 50 }, (_, n) => ({ id: `l-00000${n}`, why: "x" })));

test.each(
  variants(
    [
      ["unknown ids", said('[{"id":"l-000000","why":"x"}]')],
      ["a slow answer", `sleep 30; ${picking}`],
      ["a killed process", "kill -9 $$"],
      ["too many", said(many)],
      ["no JSON", said("I would pick the first one.")],
      ["HTML", "echo '<html><body>502 Bad Gateway</body></html>'"],
    ],
    2,
  ),
)("LEARN-16: words decide after %s, and no prompt waits", async (what, answer) => {
  const made = await asking(answer);
  const { code, events } = await made.run();
  expect(code).toBe(0);
  expect(made.read("../home/prompt-t-2")).not.toContain(lesson);
  expect(existsSync(join(made.home, "asked"))).toBe(true);
  const times = new Map(
    jsonLines(made.read(".ralph/events.jsonl")).map(({ type, timestamp, ...data }) => [
      `${type} ${data["taskId"] ?? ""}`,
      Date.parse(`${timestamp}`),
    ]),
  );
  const gap = Number(times.get("iteration.started t-2")) - Number(times.get("iteration.finished t-1"));
  expect(gap).toBeLessThan(scaledLimit(200));
  const failed = events.filter(({ type, step }) => type === "memory.failed" && step === "select");
  expect(failed.length).toBe(what === "a slow answer" ? 0 : 1);
});
