import { joinSafe, replaceSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import { failures, finished, headline, money, recordText, spentText, utc } from "../view/format.ts";
import type { AttemptLine, ViewModel } from "../view/model.ts";
import { html, ownMarkup } from "./html.ts";
import style from "./page.css?raw";
import { drawSection, sections } from "./sections.ts";

/** Returns the report of a run as one file of HTML, which requests nothing and needs no script. */
export function htmlReport(model: ViewModel): string {
  const drawn = sections.map((section) => drawSection(section, model, { live: false, acts: false }));
  const title = safe`ralph: ${model.project} ${model.run.id}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${title}</title>${ownMarkup`<style>${style}</style>`}</head>
<body><header><h1>${title}</h1></header><main>${drawn}</main><footer><p>Written by ralph at ${utc(model.now)}.</p></footer></body></html>
`.markup;
}

const maxListed = 20;
const maxErrorChars = 1500;

/** Escapes text for a line of Markdown: it makes no markup, mentions nobody and refers to no issue. */
function inline(text: SafeText): SafeText {
  const plain = replaceSafe(text, /[\\`*_{}[\]<>#|~$&!]|:(?=\/\/)|(?<=www)\./g, (found) => safe`\\${found}`);
  return replaceSafe(plain, /@/g, () => safe`&#64;`);
}

function row(cells: readonly (SafeText | number)[]): SafeText {
  return safe`| ${joinSafe(
    cells.map((cell) => (typeof cell === "number" ? safe`${cell}` : cell)),
    " | ",
  )} |`;
}

/** Returns the report as Markdown, for a pull request or the summary of a CI job. */
export function markdownReport(model: ViewModel): SafeText {
  const { waits, models, run, whole } = model;
  const failed = failures(model);
  const done = finished(model);
  const lines = [
    safe`## ralph: ${inline(run.id === "" ? model.project : run.id)}`,
    safe``,
    inline(joinSafe(headline(model), " · ")),
    ...list(
      safe`Waits for you`,
      waits.map(
        (one) =>
          safe`- **${inline(one.id)}** ${inline(one.title)}: ${inline(one.why)} → ${code(one.command)}`,
      ),
    ),
    ...list(
      safe`Done`,
      done.map(
        (one) =>
          safe`- ${inline(one.taskId)} ${inline(one.title)} (${inline(spentText(one))}${one.commit === null ? "" : safe`, ${one.commit}`})`,
      ),
    ),
    ...list(safe`Failed attempts`, failed.flatMap(failedLines)),
    ...(models.length === 0
      ? []
      : [
          ...[safe``, safe`### Models`, safe``],
          row([safe`model`, safe`attempts`, safe`verified`, safe`cost`]),
          row([safe`---`, safe`---`, safe`---`, safe`---`]),
          ...models.map((one) =>
            row([inline(one.model), one.attempts, one.done, money(one.costUsd, one.estimatedUsd > 0)]),
          ),
        ]),
    ...(whole ? [safe``, inline(whole.lift)] : []),
    safe``,
  ];
  return joinSafe(lines, "\n");
}

function list(title: SafeText, items: readonly SafeText[]): readonly SafeText[] {
  if (items.length === 0) return [];
  const more = items.length > maxListed ? [safe`- … and ${items.length - maxListed} more`] : [];
  return [safe``, safe`### ${title}`, safe``, ...items.slice(0, maxListed), ...more];
}

function failedLines(one: AttemptLine): readonly SafeText[] {
  const memories = one.memories.map(
    (memory) => safe`  - memory ${code(memory.id)} ${inline(memory.text)} (${recordText(memory)})`,
  );
  const error = one.error === "" ? [] : [fenced(clip(one.error, maxErrorChars))];
  const head = safe`- ${inline(one.taskId)} #${one.attempt} ${inline(one.title)} (${inline(spentText(one))}): ${inline(one.reason)}`;
  return [joinSafe([head, ...memories, ...error], "\n")];
}

/** Fences text with more backticks than it has in a row. */
function fenced(text: SafeText): SafeText {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = joinSafe(
    Array.from({ length: longest + 1 }, () => safe`\``),
    "",
  );
  return safe`\n${fence}text\n${text}\n${fence}\n`;
}

/** A command in a code span. Ids have no backticks. */
function code(text: SafeText): SafeText {
  return safe`\`${replaceSafe(text, /`/g, () => safe`'`)}\``;
}
