import { decimal, joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { money } from "../view/format.ts";
import type { ViewModel } from "../view/model.ts";
import { type Html, html, table } from "./html.ts";

const width = 480;
const height = 120;
const left = 56;

interface Point {
  readonly at: number;
  readonly value: number;
}

/** Draws verified tasks and dollars over time as lines, and the cost of each model as bars. The tables below have the same numbers. */
export function plots(model: ViewModel): Html {
  const { attempts, models, cost } = model;
  let [done, usd] = [0, 0];
  const tasks: Point[] = [];
  const costs: Point[] = [];
  const ends = attempts.map((one) => ({ ...one, end: Date.parse(one.at) + one.durationMs }));
  for (const one of ends.toSorted((a, b) => a.end - b.end)) {
    done += one.done ? 1 : 0;
    usd += one.costUsd ?? 0;
    tasks.push({ at: one.end, value: done });
    costs.push({ at: one.end, value: usd });
  }
  if (attempts.length < 2) return html``;
  const rows = costs.map(({ at, value }, index) => [
    index + 1,
    timeOf(at),
    tasks[index]?.value ?? 0,
    money(value),
  ]);
  const heads = [safe`attempt`, safe`time`, safe`verified tasks`, safe`dollars`];
  return html`<div class="plots">${line(safe`Verified tasks over time`, tasks, (n) => safe`${n}`)}${cost.usd === null ? html`` : html`${line(safe`Dollars over time`, costs, (n) => money(n))}${bars(models)}`}</div>
<details id="plot-table"><summary>The plots as a table</summary>${table(safe`Verified tasks and dollars after each attempt`, heads, rows)}</details>`;
}

function timeOf(ms: number): SafeText {
  const date = new Date(ms);
  const two = (n: number): SafeText => (n < 10 ? safe`0${n}` : safe`${n}`);
  return safe`${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

function line(title: SafeText, points: readonly Point[], label: (value: number) => SafeText): Html {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1];
  const top = points.reduce((most, { value }) => Math.max(most, value), 1e-9);
  const x = ({ at }: Point): SafeText =>
    decimal(left + ((width - left - 8) * (at - first)) / Math.max(1, last - first), 1);
  const y = ({ value }: Point): SafeText => decimal(height - 20 - ((height - 36) * value) / top, 1);
  const path = joinSafe(
    points.map((point) => safe`${x(point)},${y(point)}`),
    " ",
  );
  return html`<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}: ${label(points.at(-1)?.value ?? 0)} at the end"><text x="0" y="20">${label(top)}</text><text x="0" y="${height - 20}">0</text><path class="axis" d="M${left} 8V${height - 20}H${width - 8}"/><polyline points="${path}"/><text x="${left}" y="${height - 4}">${timeOf(first)}</text><text x="${width - 8}" y="${height - 4}" text-anchor="end">${timeOf(last)}</text></svg></figure>`;
}

function bars(models: ViewModel["models"]): Html {
  const top = models.reduce((most, { costUsd }) => Math.max(most, costUsd ?? 0), 1e-9);
  const rows = models.slice(0, 6).map(({ model, costUsd }, index) => {
    const y = 8 + index * 18;
    const length = (180 * (costUsd ?? 0)) / top;
    return html`<text x="0" y="${y + 11}">${model.slice(0, 24)}</text><rect x="190" y="${y}" width="${decimal(length, 1)}" height="13"/><text x="${decimal(196 + length, 1)}" y="${y + 11}">${money(costUsd)}</text>`;
  });
  return html`<figure><figcaption>Cost per model</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Cost per model, as in the table below">${rows}</svg></figure>`;
}
