// npm run bench:strategy -- DIR [--orders N] [--json]: the strategies on recorded attempts, beside fixed ladders (IF-5).

import {
  adaptive,
  escalateSteps,
  ladder,
  ladders,
  oracle,
  type Result,
  type Setting,
} from "./strategy/replay.ts";
import { readSettings } from "./strategy/settings.ts";

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npm run bench:strategy -- DIR [--orders N] [--json]");
const orders = Number(rest[rest.indexOf("--orders") + 1] || 50);
/** Values of a task in mean strong attempts: how much is spent on the last tasks depends on them. */
const values = [3, 6, 12, 25, 100];
const groups = 5;

/** Returns the dollars at which `target` tasks are solved, between the nearest measured points. */
function dollarsAt(points: readonly Result[], target: number): number {
  const sorted = points.toSorted((a, b) => a.solved - b.solved);
  const at = sorted.findIndex(({ solved }) => solved >= target);
  const [above, below] = [sorted[at], sorted[at - 1]];
  if (!above) return Number.NaN;
  if (!below) return above.usd;
  return below.usd + ((above.usd - below.usd) * (target - below.solved)) / (above.solved - below.solved);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

function average(results: readonly Result[]): Result {
  return { solved: mean(results.map(({ solved }) => solved)), usd: mean(results.map(({ usd }) => usd)) };
}

function withError(numbers: readonly number[]) {
  const center = mean(numbers);
  const spread = mean(numbers.map((one) => (one - center) ** 2));
  return { mean: center, error: Math.sqrt(spread / Math.max(1, numbers.length - 1)) };
}

function measure(setting: Setting & { readonly kind: string }) {
  const base = ladder(setting, ladders.MMSSS);
  const runs = Array.from({ length: orders }, (_, n) =>
    values.map((value) => adaptive(setting, n + 1, value)),
  );
  const curve = (some: typeof runs) => values.map((_, at) => average(some.flatMap((run) => run[at] ?? [])));
  const parts = Array.from({ length: Math.min(groups, orders) }, (_, group) =>
    curve(runs.filter((_run, n) => n % groups === group)),
  );
  const share = (points: readonly Result[], part: number) => dollarsAt(points, part * base.solved) / base.usd;
  const whole = curve(runs);
  return {
    ...{ kind: setting.kind, set: setting.name, tasks: setting.tasks },
    ...{ MMSSS: base, CCMMSS: ladder(setting, ladders.CCMMSS), escalate: ladder(setting, escalateSteps()) },
    oracle: oracle(setting),
    adaptive: whole[values.indexOf(6)] ?? base,
    x: { mean: share(whole, 1), error: withError(parts.map((points) => share(points, 1))).error },
    x98: { mean: share(whole, 0.98), error: withError(parts.map((points) => share(points, 0.98))).error },
  };
}

const shown = ({ solved, usd }: Result): string =>
  `${solved.toFixed(1)}/$${usd.toFixed(1)}/${(usd / solved).toFixed(2)}`;
const results = readSettings(folder).map(measure);
if (rest.includes("--json")) console.log(JSON.stringify(results));
else {
  console.log("solved/dollars/dollars per solved; x, x98: share of the dollars of MMSSS (± standard error)");
  for (const row of results) {
    const columns = (["MMSSS", "CCMMSS", "escalate", "adaptive", "oracle"] as const).map(
      (name) => `${name} ${shown(row[name])}`,
    );
    const shares = (["x", "x98"] as const).map(
      (name) => `${name} ${row[name].mean.toFixed(2)} ± ${row[name].error.toFixed(2)}`,
    );
    console.log([row.kind, row.set, ...columns, ...shares].join(" · "));
  }
  for (const kind of new Set(results.map((row) => row.kind))) {
    const its = results.filter((row) => row.kind === kind);
    const geometric = (name: "x" | "x98") =>
      Math.exp(mean(its.map((row) => Math.log(row[name].mean)))).toFixed(2);
    console.log(`${kind}, geometric means: x ${geometric("x")}, x98 ${geometric("x98")}`);
  }
}
