import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

// Small projects whose agent knows nothing by itself: it solves a task at once when its prompt has what an earlier session
// left, and otherwise only once it has tried all else. One test compares the attempts with memory and without it.

let projects: Practice[] = [];
let data = "";
afterEach(() => {
  for (const one of projects) one.remove();
  projects = [];
  if (data !== "") rmSync(data, { recursive: true, force: true });
  data = "";
});

interface Story {
  /** The words that a prompt must have. */
  readonly clue: string;
  /** The attempt at which the agent finds the way without them. */
  readonly alone: number;
  readonly titles: readonly string[];
  /** A line of the shell that prints what a session leaves, after its work; `$solved` is `yes` or `no`. */
  readonly leaves?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
}

const agentOf = ({ clue, alone, leaves = ":" }: Story): string => `id=$RALPH_TASK_ID
prompt=$(cat)
solved=no
case $prompt in *${JSON.stringify(clue)}*) solved=yes;; esac
[ "$RALPH_ATTEMPT" -lt ${alone} ] || solved=yes
mkdir -p src
echo "$solved, attempt $RALPH_ATTEMPT" > "src/$id.txt"
${leaves}
echo "<task-done>$id</task-done>"
`;

async function project(story: Story, env: Readonly<Record<string, string>> = {}): Promise<Practice> {
  const one = practice({ "check.sh": "! grep -l '^no' src/*\n", ...story.files }, env);
  projects.push(one);
  await one.useWorker({}, 'verify: ["sh check.sh"]\n');
  writeFileSync(join(dirname(one.dir), "worker.sh"), agentOf(story));
  await one.addTasks(story.titles.map((title, at) => ({ id: `t-${at + 1}`, title, tags: story.tags ?? [] })));
  return one;
}

/** Runs a story to its end and returns the number of attempts. */
async function attempts(one: Practice, ...args: readonly string[]): Promise<number> {
  const { code, events } = await one.run(...args);
  expect(code).toBe(0);
  return finished(events).length;
}

const lesson = "Round amounts with Money.round: floats lose cents in the ledger.";

test("LEARN-4: a learning of the first task spares the later one the search: 4 attempts in place of 6", async () => {
  const story = {
    clue: "Round amounts with Money.round",
    alone: 3,
    titles: [
      "Round the amounts of the ledger totals to cents",
      "Round the amounts of the ledger taxes to cents",
    ],
    leaves: `[ $solved = no ] || echo '<learning category="pitfall">${lesson}</learning>'`,
  };
  expect(await attempts(await project(story))).toBe(4);
  expect(await attempts(await project(story), "--no-memory")).toBe(6);
});

test("LEARN-12: what verification refutes misleads no later task: 5 attempts in place of 9", async () => {
  const titles = Array.from({ length: 3 }, (_, at) => `Round the amounts of ledger part ${at + 1} to cents`);
  const story: Story = { clue: "", alone: 3, titles };
  // Each attempt takes the way that its learnings name, else the next one; only the third is right. It is sure each time.
  const agent = `way=$(sed -n 's/^- \\*\\*\\[.*take way \\([123]\\).*/\\1/p' | head -1)
way=\${way:-$RALPH_ATTEMPT}
mkdir -p src
echo "$([ "$way" = 3 ] || echo no) $RALPH_ATTEMPT" > "src/$RALPH_TASK_ID.txt"
echo '<learning category="success_pattern">To round amounts of the ledger to cents, take way '$way'.</learning>'
echo "<task-done>$RALPH_TASK_ID</task-done>"
`;
  const one = await project(story);
  writeFileSync(join(dirname(one.dir), "worker.sh"), agent);
  const ends = finished((await one.run()).events);
  expect([ends.length, ends.filter(({ outcome }) => outcome === "done").length]).toEqual([5, 3]);
});

test("SKILL-4: a skill that fits the tasks spares each its first attempt: 2 attempts in place of 4", async () => {
  const story = {
    clue: "Embed the fonts before the first page",
    alone: 2,
    titles: ["Invoice as a PDF", "Delivery note as a PDF"],
    tags: ["pdf"],
    files: {
      ".agents/skills/pdf/SKILL.md":
        '---\nname: pdf\ndescription: "PDF documents of the shop"\n---\n\nEmbed the fonts before the first page.\n',
    },
  };
  expect(await attempts(await project(story))).toBe(2);
});

test("HIVE-1: what another project found out solves the task at once: 1 attempt in place of 2", async () => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  const story = {
    clue: "hands over dates as text",
    alone: 2,
    titles: ["Convert the dates of the ledger export into numbers"],
    leaves: `[ $solved = no ] || echo 'The ledger export hands over dates as text: parse each before adding.'`,
  };
  const of = async (name: string): Promise<Practice> => {
    const one = await project(story, { XDG_DATA_HOME: data });
    one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
    return one;
  };
  expect(await attempts(await of("ledger"))).toBe(2);
  expect(await attempts(await of("invoices"))).toBe(1);
});

test("LEARN-15 CTX-1: what a verified attempt said solves a like task of its own project at once: 3 attempts in place of 4", async () => {
  const story = {
    clue: "hands over dates as text",
    alone: 2,
    titles: [
      "Convert the dates of the ledger export into numbers",
      "Convert the dates of the invoice export into numbers",
    ],
    leaves: `[ $solved = no ] || echo 'The exports hand over; each hands over dates as text: parse each before adding.'`,
  };
  const one = await project(story);
  expect(await attempts(one)).toBe(3);
  expect(JSON.parse(one.read(".ralph-context.json")).stories).toMatchObject([
    { id: "t-1", learnings: expect.stringContaining("hands over dates as text") },
    { id: "t-2" },
  ]);
});

test("NOTE-3: a note about a dead end is there at the next attempt: 3 attempts in place of 6", async () => {
  const story = {
    clue: "100 calls a minute",
    alone: 3,
    titles: ["Fetch the users", "Fetch the orders"],
    leaves: `[ $solved = yes ] || echo '<note type="stuck">The API takes 100 calls a minute: back off.</note>'`,
  };
  expect(await attempts(await project(story))).toBe(3);
});

test("JOURNAL-3: what one session writes in the journal, the next one need not find out: 3 attempts in place of 4", async () => {
  const story = {
    clue: "The gateway wants UTC",
    alone: 2,
    titles: ["Book a visit", "Move a visit"],
    leaves: `[ $solved = no ] || [ -z "$RALPH_JOURNAL" ] || echo 'The gateway wants UTC.' >> "$RALPH_JOURNAL"`,
  };
  expect(await attempts(await project(story))).toBe(3);
});
