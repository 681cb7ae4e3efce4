// The agent of the learning benchmark: solves what its prompt teaches it. Usage: node agent.mjs LESSONS.json
// LESSONS.json: { overlap: [argv of ralph] | null, tasks: { "<task id>": { first, error, lesson, misleading } } }
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const prompt = await text(process.stdin);
const { overlap, tasks } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const id = process.env.RALPH_TASK_ID;
const { first, error, tags, lesson, misleading } = tasks[id];

/** Letters and digits: how a prompt escapes the rest is not the agent's business. */
const bare = (words) => words.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ");

/** The first design's way: what shares tags with the task, most of them first. */
function byOverlap() {
  const [program, ...args] = overlap;
  const options = { encoding: "utf8", maxBuffer: 1e8 };
  const all = JSON.parse(
    execFileSync(program, [...args, "memory", "list", "--limit", "100000", "--json"], options),
  );
  const shared = (learning) => learning.metadata.tags.filter((tag) => tags.includes(tag)).length;
  const found = all.filter((learning) => shared(learning) > 0).sort((a, b) => shared(b) - shared(a));
  return found.slice(0, 5).map((learning) => `- ${learning.lesson} (${learning.id})`);
}

const read = overlap ? `${prompt}\n${byOverlap().join("\n")}` : prompt;
const place = (words) => bare(read).indexOf(bare(words).trim());
const right = place(lesson.text);
const wrong = misleading ? place(misleading) : -1;
const followed = right >= 0 && (wrong < 0 || right < wrong) ? lesson.text : wrong >= 0 ? misleading : null;
const solved = followed === lesson.text || (first && process.env.RALPH_ATTEMPT !== "1");

mkdirSync("src", { recursive: true });
writeFileSync(`src/${id}.txt`, solved ? "right\n" : `wrong: ${error}\n`);

const said = [solved ? "It works now." : "Done, I think."];
const line = followed && read.split("\n").find((one) => bare(one).includes(bare(followed).trim()));
const memoryId = /\bl-[0-9a-f]{6,}\b/.exec(line ?? "")?.[0];
if (memoryId)
  said.push(`<memory-used id="${memoryId}" verdict="${followed === lesson.text ? "helpful" : "harmful"}"/>`);
if (first && solved && right < 0) {
  const { text: words, category = "other", tags: own = [] } = lesson;
  said.push(`<learning category="${category}" tags="${own.join(", ")}">${words}</learning>`);
}
said.push(`<task-done>${id}</task-done>`);
process.stdout.write(`${said.join("\n\n")}\n`);
