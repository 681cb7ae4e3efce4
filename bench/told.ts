// npm run bench:told -- DIR [--set NAME,NAME] [--when FILE] [--ask COMMAND] [--json]: what a task is told by the lessons of its project, as its person feels it: a right line,
// only wrong ones, or none; without and with the phrases of `when.jsonl` (or another file of that form), and as a chooser with known answers would tell it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type DataSet, dataSets } from "./retrieval/data-set.ts";
import { randomFrom } from "./retrieval/texts.ts";
import { chooseByCommand } from "./silence/ask-chooser.ts";
import { askLessons } from "./silence/ask-lessons.ts";
import { chooseByLabels, type Told, toldFigures } from "./silence/told-figures.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string" },
    when: { type: "string", default: "when.jsonl" },
    ask: { type: "string" },
    json: { type: "boolean" },
  },
});
const [folder] = positionals;
if (folder === undefined)
  throw new Error(
    "usage: npm run bench:told -- DIR [--set NAME,NAME] [--when FILE] [--ask COMMAND] [--json]",
  );
const named: readonly (string | undefined)[] = values.set?.split(",") ?? [undefined];
const sets = named
  .flatMap((name) => dataSets(folder, name))
  .filter(({ unanswered }) => unanswered.length > 0);
const withWhen = sets.filter(({ name }) => existsSync(whenFile(folder, name)));

await report("without `when`", sets);
if (withWhen.length > 0 && withWhen.length < sets.length)
  await report("without `when`, these sets", withWhen);
if (withWhen.length > 0)
  await report(
    "with `when`",
    withWhen.map((set) => addWhen(folder, set)),
  );
const random = randomFrom(1);
print(
  "a chooser that knows the labels and errs in a tenth of the tasks",
  sets.flatMap((set) => chooseByLabels(set, random)),
);
const { ask } = values;
if (ask !== undefined)
  print(
    "the model that the command asks",
    sets.flatMap((set) => chooseByCommand(set, ask)),
  );

async function report(name: string, asked: readonly DataSet[]): Promise<void> {
  const told: Told[] = [];
  for (const set of asked)
    for await (const { task, foreign, shown } of askLessons(set))
      told.push({ lang: task.lang, foreign, lines: shown.map(({ gold }) => gold) });
  print(name, told);
}

function print(name: string, told: readonly Told[]): void {
  const figures = toldFigures(told);
  if (values.json) {
    console.log(JSON.stringify({ name, figures }));
    return;
  }
  console.log(
    `\n${name}\n\n| | tasks | told right | wrong only | silent | noise | right lines | of all |\n|${"---|".repeat(8)}`,
  );
  for (const one of figures) {
    const shares = [one.right, one.wrongOnly, one.silent, one.noise, one.rightLines, one.rightOfAll];
    console.log(
      `| ${one.name} | ${one.tasks} + ${one.none} | ${shares.map((n) => n.toFixed(3)).join(" | ")} |`,
    );
  }
}

function whenFile(root: string, name: string): string {
  return join(root, name, values.when);
}

/** The set with each lesson's phrase, which `askLessons` stores below the lesson as the product does. */
function addWhen(root: string, set: DataSet): DataSet {
  const lines = readFileSync(whenFile(root, set.name), "utf8").trim().split("\n");
  const phrases = new Map(
    lines.map((line) => {
      const { id, when } = JSON.parse(line) as { readonly id: string; readonly when: string };
      return [id, when];
    }),
  );
  return { ...set, documents: set.documents.map((one) => ({ ...one, title: phrases.get(one.id) ?? "" })) };
}
