import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { copyOf, type Practice, practice, type RunEvent } from "./practice.ts";

/** All that a text in memory may not choose, as a later iteration and another project show it. */
export interface Effects {
  /** The command line, working folder, umask and environment of each session after the text was planted. */
  readonly sessions: readonly string[];
  /** The verdicts, and every task's status and commands. */
  readonly verdicts: readonly string[];
  /** Every file in the projects and the user's folders, with its mode. */
  readonly files: readonly string[];
  /** The deciding state: configuration, approvals, commits, and the parts of the prompts that ralph writes. */
  readonly decisions: readonly string[];
  /** The prompts of another project beside the section in which the hivemind offers it what this one learned. */
  readonly elsewhere: readonly string[];
}

/** The fate of a text: whether the places for memory in later prompts show any of it. */
interface Planted {
  readonly effects: Effects;
  /** The sections of the later prompts that contain the beginning of the text. */
  readonly shownIn: readonly string[];
}

const title = "Convert the dates of the ledger export into numbers";
const checkScript = `cd src || exit 1
grep -q BROKEN * || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;
const observe =
  "{ tr '\\0' '\\n' < /proc/$PPID/cmdline; pwd; umask; env | sort; } > ../observed-$RALPH_TASK_ID-$RALPH_ATTEMPT";
const writeJournal =
  "file=$(sed -n 's/^`\\(.*\\)` is your journal .*/\\1/p' ../prompts/t-1-$RALPH_ATTEMPT.txt); cat ../text >> \"$file\"";

/** The sections in which prompts show memory, and messages of a person. */
export const memorySections: readonly string[] = [
  "## Notes from Previous Iterations",
  "## Prior Learnings (from hivemind)",
  "## Structured Context (machine-generated)",
  "### Journal",
  "### Learnings from Previous Iterations",
  "### Message From the Person in Charge",
  "### Previous Attempts",
  "### Skills",
];

export interface Field {
  /** Plants `text` in every kind of memory, lets the next iterations run, and returns what came of it. */
  plant(text: string): Promise<Planted>;
  remove(): void;
}

/** Two projects of one user, of which each `plant` gets a copy. */
export async function hostileField(): Promise<Field> {
  const files = { "check.sh": checkScript, "src/base.txt": "ok\n", "src/dates.ts": "old\n" };
  const config = 'verify: ["sh check.sh"]\nverifyGuard: strict\n';
  const [here, there] = [practice(files), practice(files)];
  for (const one of [here, there]) {
    await one.useWorker({}, config);
    await one.addTasks([title, `${title} once more`]);
  }
  const remove = (): void => {
    here.remove();
    there.remove();
  };
  return { plant: (text) => plantIn(here, there, text), remove };
}

async function plantIn(here: Practice, there: Practice, text: string): Promise<Planted> {
  const data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  const [made, other] = [here, there].map((one) => copyOf(one, { XDG_DATA_HOME: data })) as [
    Practice,
    Practice,
  ];
  try {
    made.git("remote", "add", "origin", "git@github.com:me/ledger.git");
    other.git("remote", "add", "origin", "git@github.com:me/invoices.git");
    await made.approveConfig();
    await other.approveConfig();
    plantFiles(made, text);
    const events = [...(await firstRun(made, text))];
    const failed = await made.ralph("message", "--", oneLine(text));
    if (failed.code !== 0) throw new Error(`ralph message: ${failed.stderr}`);
    events.push(...(await made.run("t-2")).events);
    events.push(...(await retryIn(other)).events);
    const effects = await effectsIn({ made, other, data, events });
    return { effects, shownIn: sectionsWith([made, other], text) };
  } finally {
    made.remove();
    other.remove();
    rmSync(data, { recursive: true, force: true });
  }
}

/** A skill and a PROGRESS.md that a clone or an agent's earlier commit brought. */
function plantFiles(made: Practice, text: string): void {
  const description = JSON.stringify(`How to convert dates of the ledger export. ${oneLine(text)}`);
  made.write(
    ".agents/skills/ledger-dates/SKILL.md",
    `---\nname: ledger-dates\ndescription: ${description}\n---\n\n# Ledger dates\n\n${text}\n`,
  );
  made.write("PROGRESS.md", `# Progress\n\n${text}\n`);
  made.write("../text", `${text}\n`);
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "progress");
}

/** A failed and a successful attempt, whose agent states the text in everything that it can state. */
async function firstRun(made: Practice, text: string): Promise<readonly RunEvent[]> {
  const about = "The ledger export hands over dates as text.";
  const stated = [
    `<note type="tip">${about} ${text}</note>`,
    `<learning category="pitfall" tags="dates, ledger">${about} ${text}</learning>`,
  ];
  const failure = `<failure-report>\nwhat_tried: ${oneLine(text)}\nwhy_failed: ${oneLine(text)}\n</failure-report>\n<retry-suggestion>${text}</retry-suggestion>`;
  const run = [["sh", "-c", writeJournal]];
  made.setScript({
    prompts: "../prompts",
    "t-1": [
      {
        write: { "src/dates.ts": "BROKEN\n" },
        run,
        say: [text, ...stated, failure, "<task-done>t-1</task-done>"].join("\n\n"),
      },
      {
        write: { "src/dates.ts": "one\n" },
        run,
        say: [text, ...stated, "<task-done>t-1</task-done>"].join("\n\n"),
      },
    ],
    "t-2": [
      { write: { "src/dates.ts": "BROKEN\n" }, run: [["sh", "-c", observe]] },
      { write: { "src/dates.ts": "two\n" }, run: [["sh", "-c", observe]] },
    ],
  });
  return (await made.run("t-1")).events;
}

async function retryIn(other: Practice): Promise<{ readonly events: readonly RunEvent[] }> {
  other.setScript({
    prompts: "../prompts",
    "*": [
      { write: { "src/dates.ts": "BROKEN\n" }, run: [["sh", "-c", observe]] },
      { write: { "src/dates.ts": "fixed\n" }, run: [["sh", "-c", observe]] },
    ],
  });
  return await other.run("t-1");
}

interface After {
  readonly made: Practice;
  readonly other: Practice;
  readonly data: string;
  readonly events: readonly RunEvent[];
}

async function effectsIn({ made, other, data, events }: After): Promise<Effects> {
  const folders = [dirname(made.dir), dirname(other.dir), data];
  const plain = (text: string): string => withoutChance(text, folders);
  const verdicts = events
    .filter(({ type }) => ["iteration.finished", "run.finished", "task.done"].includes(type))
    .map(({ type, taskId, attempt, outcome, kind, reason, status }) =>
      JSON.stringify({ type, taskId, attempt, outcome, kind, reason, status }),
    );
  const tasks = ((await made.json("task", "list", "--all")) as Record<string, unknown>[]).map(
    ({ id, status, verification }) => JSON.stringify({ id, status, verification }),
  );
  const observed = [made, other].flatMap((one) =>
    readdirSync(dirname(one.dir))
      .filter((name) => name.startsWith("observed-"))
      .sort()
      .map((name) => `${name}\n${one.read(`../${name}`)}`),
  );
  const prompts = ["t-2-1", "t-2-2"].map((name) => made.read(`../prompts/${name}.txt`));
  const [first, retry] = ["t-1-1", "t-1-2"].map((name) => other.read(`../prompts/${name}.txt`));
  return {
    sessions: observed.map(plain),
    verdicts: [...verdicts, ...tasks].map(plain),
    files: folders.flatMap((folder, n) => filesIn(folder).map((line) => plain(`${n} ${line}`))).sort(),
    decisions: [
      made.read(".ralph/config.yaml"),
      made.git("show", "--no-patch", "--format=%an %ae", "HEAD"),
      made.git("config", "--list", "--show-origin"),
      Object.keys(JSON.parse(made.read("../home/state/ralph/approvals.json")) as object).join(),
      ...prompts.flatMap(ownParts),
    ].map(plain),
    elsewhere: [first, retry].flatMap((prompt) => ownParts(prompt ?? "")).map(plain),
  };
}

/** The parts of a prompt that no memory fills, in their order. A heading that a text smuggles in begins a part too. */
function ownParts(prompt: string): readonly string[] {
  const parts = outsideFences(prompt).split(/^(?=#{1,6} )/m);
  return parts.filter((part) => !memorySections.some((heading) => part.startsWith(`${heading}\n`)));
}

function outsideFences(prompt: string): string {
  return prompt.replace(/^<(data-[0-9a-f]{12})>\n[\s\S]*?^<\/\1>$/gm, "<data>");
}

/** Replaces what differs from run to run: folders, ids, codes, times and hashes. */
function withoutChance(text: string, folders: readonly string[]): string {
  return folders
    .reduce((all, folder, n) => all.replaceAll(folder, `FOLDER${n}`), text)
    .replaceAll(/data-[0-9a-f]{12}/g, "data-CODE")
    .replaceAll(/\b(?:ralph-\w+-)?[a-z]{1,4}-[0-9a-f]{8,}(?:-\d+)?\b/g, "ID")
    .replaceAll(/\bproject-[0-9a-z]{8}\b/g, "project-ID")
    .replaceAll(/[0-9a-f]{16,}/g, "HASH")
    .replaceAll(/\d{8}-\d{6}(?:-\d+)?/g, "TIME")
    .replaceAll(/\d{4}-\d\d-\d\d[T0-9:.-]*Z?/g, "TIME");
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/\.git\/(?:objects|logs|index)|\.db-(?:wal|shm)$|\/cache\/step\.json$/.test(path))
    .map((path) => `${relative(folder, path)} ${(statSync(path).mode & 0o777).toString(8)}`);
}

function sectionsWith([made, other]: readonly [Practice, Practice], text: string): readonly string[] {
  const words = wordsOf(text).slice(0, 40);
  const prompts = [
    ...["t-1-2", "t-2-1", "t-2-2"].map((name) => made.read(`../prompts/${name}.txt`)),
    other.read("../prompts/t-1-2.txt"),
  ];
  const found = prompts.flatMap(sectionsOf).filter((part) => wordsOf(part).includes(words));
  return [...new Set(found.map((part) => part.split("\n")[0] ?? ""))].sort();
}

/** The sections of a prompt by the headings that ralph wrote. */
function sectionsOf(prompt: string): readonly string[] {
  const fenced = [...prompt.matchAll(/^<(data-[0-9a-f]{12})>\n[\s\S]*?^<\/\1>$/gm)];
  const ends = fenced.map((one) => [one.index, one.index + one[0].length] as const);
  const starts = [...prompt.matchAll(/^#{2,3} /gm)]
    .map(({ index }) => index)
    .filter((at) => !ends.some(([from, to]) => at > from && at < to));
  return starts.map((at, n) => prompt.slice(at, starts[n + 1]));
}

const wordsOf = (text: string): string => text.replace(/\W+/g, " ").trim();
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 400);
