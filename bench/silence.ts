// npm run bench:silence -- DIR [--set NAME] [--tasks N] [--sizes N,N] [--fit] [--words] [--json]: how often recall is silent where it
// knows the answer, and where it does not, on stores drawn from data sets in the layout of bench:retrieval; --fit prints
// the weights of the decision, fitted on other draws, and --words the words that are common in all sets.
import { parseArgs } from "node:util";
import { thresholds } from "../src/search/fit-probability.ts";
import { type DataSet, dataSets } from "./retrieval/data-set.ts";
import { type AskedLesson, askLessons, askLessonsToFit } from "./silence/ask-lessons.ts";
import { type Asked, type AskOptions, askStores } from "./silence/ask-stores.ts";
import { countWords } from "./silence/count-words.ts";
import { averageOf, type ConditionFigures, curveOf, type Figures, figuresOf } from "./silence/figures.ts";
import { fitOptions, fitWeights } from "./silence/fit-weights.ts";
import { lessonFigures, noiseFigures } from "./silence/lesson-figures.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string" },
    tasks: { type: "string", default: "60" },
    sizes: { type: "string", default: "30,100,300" },
    fit: { type: "boolean" },
    words: { type: "boolean" },
    json: { type: "boolean" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  throw new Error(
    "usage: npm run bench:silence -- DIR [--set NAME] [--tasks N] [--sizes N,N] [--fit] [--words] [--json]",
  );
}
const lessonSets = dataSets(folder, values.set).filter(({ unanswered }) => unanswered.length > 0);
const sets = lessonSets.length > 0 ? lessonSets : dataSets(folder);
if (lessonSets.length > 0) await printLessons();
else if (values.words) console.log(JSON.stringify(countWords(sets, relatedTo(sets)), null, 2));
else if (values.fit) await printWeights();
else await printFigures();

async function printFigures(): Promise<void> {
  const options = {
    sizes: values.sizes.split(",").map(Number),
    tasks: Number(values.tasks),
    foreign: 25,
    seed: 1,
  };
  const asked = await collect({ ...options, only: values.set });
  const conditions = figuresOf(asked);
  const average = averageOf(conditions);
  if (values.json) {
    console.log(JSON.stringify({ thresholds, conditions, average, curve: curveOf(asked, thresholds) }));
    return;
  }
  const header =
    "| documents | tasks | store | false silence | foreign silence | lines | of them gold | golds kept | characters |";
  console.log(`${header}\n|${"---|".repeat(9)}`);
  for (const one of conditions) console.log(`| ${nameOf(one)} | ${cells(one)} |`);
  console.log(`| average | | | ${cells(average)} |`);
  console.log(
    `\nAverages with other thresholds (${thresholds.subject}, ${thresholds.line} are the product's)\n`,
  );
  console.log(`${header.replace("documents | tasks | store", "anything fits | line")}\n|${"---|".repeat(8)}`);
  for (const one of curveOf(asked, thresholds)) {
    console.log(`| ${one.thresholds.subject} | ${one.thresholds.line} | ${cells(one)} |`);
  }
}

/** Prints the figures of sets of lessons as developers write them, each in one store. */
async function printLessons(): Promise<void> {
  for (const set of lessonSets) {
    const asked: AskedLesson[] = [];
    for await (const one of askLessons(set)) asked.push(one);
    const figures = lessonFigures(asked);
    const noise = noiseFigures(asked);
    if (values.json) {
      console.log(JSON.stringify({ set: set.name, figures, noise }));
      continue;
    }
    console.log(
      `${set.name}: ${set.documents.length} lessons\n\n| tasks | R@3 | false silence |\n|---|---|---|`,
    );
    for (const { name, tasks, found, falseSilence, silenced } of figures)
      console.log(`| ${name}, ${tasks} | ${found.toFixed(3)} | ${percent(falseSilence)} (${silenced}) |`);
    console.log(`\nNoise: ${noise.noisy} of ${noise.tasks} tasks that none fits, ${percent(noise.noise)}`);
  }
}

async function printWeights(): Promise<void> {
  const written = dataSets("bench/own");
  const asked = [...(await collect(fitOptions))];
  for (const set of written)
    for await (const one of askLessonsToFit(set, sets, fitOptions.seed)) asked.push(one);
  const { subject, line, leftOut } = fitWeights(asked, relatedTo([...sets, ...written]));
  const rounded = (weights: object): object =>
    Object.fromEntries(
      Object.entries(weights).map(([name, weight]) => [name, Math.round(weight * 100) / 100]),
    );
  console.log(JSON.stringify({ subject: rounded(subject), line: rounded(line), leftOut }, null, 2));
}

async function collect(options: AskOptions): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for await (const one of askStores(sets, options)) asked.push(one);
  return asked;
}

/** Sets that share documents are of the same projects. */
function relatedTo(all: readonly DataSet[]): (set: string) => ReadonlySet<string> {
  return (set) => {
    const ids = new Set(all.find(({ name }) => name === set)?.documents.map(({ id }) => id));
    return new Set(
      all.filter(({ documents }) => documents.some(({ id }) => ids.has(id))).map(({ name }) => name),
    );
  };
}

function nameOf({ lessons, described, size }: ConditionFigures): string {
  return `${lessons ? "lessons" : "whole"} | ${described ? "with description" : "title only"} | ${size}`;
}

function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${(share * 100).toFixed(1)}%`;
}

function cells({ falseSilence, foreignSilence, lines, goldShare, goldsKept, chars }: Figures): string {
  return [
    percent(falseSilence),
    percent(foreignSilence),
    lines.toFixed(1),
    goldShare.toFixed(2),
    percent(goldsKept),
    chars.toFixed(0),
  ].join(" | ");
}
