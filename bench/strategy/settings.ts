import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Arm, Setting } from "./replay.ts";

interface Matrix {
  readonly instances: readonly string[];
  readonly models: readonly {
    readonly name: string;
    readonly resolved: readonly number[];
    readonly cost: readonly number[];
  }[];
}
interface Multirun {
  readonly terminal_bench: {
    readonly tasks: readonly string[];
    readonly submissions: Readonly<Record<string, readonly (readonly number[])[]>>;
  };
}

/** The chance of a repeat at a task that some model solved. */
const repeats = {
  blind: [0.161, 0.084, 0.075, 0.07],
  "with feedback": [0.39, 0.161, 0.084, 0.075],
  "useless repeats": [0],
} as const;
/** Beginnings of names, cheap to strong, with the list price of a usual session. */
const priceSets: readonly (readonly (readonly [string, number])[])[] = [
  [
    ["GPT-5 nano", 0.0175],
    ["GPT-5 mini", 0.0875],
    ["GPT-5 (2025", 0.4375],
  ],
  [
    ["GLM-4.6", 0.3],
    ["Claude 4.5 Sonnet", 0.87],
    ["Claude 4.5 Opus", 1.45],
  ],
  [
    ["Qwen3-Coder", 0.3],
    ["Claude 4 Sonnet", 0.87],
    ["Claude 4 Opus", 4.35],
  ],
];
const recorded: readonly (readonly (readonly [string, number])[])[] = [
  [
    ["orchestrator_qwen", 0.3],
    ["orchestrator_claude-4-sonnet", 0.87],
    ["orchestrator_claude-4.1-opus", 4.35],
  ],
  [
    ["droid_gpt-5", 0.44],
    ["droid_claude-4-sonnet", 0.87],
    ["droid_claude-4-1-opus", 4.35],
  ],
];

/** Reads the settings of a folder with `matrix.json` and `multirun.json`; those whose models it lacks are left out. */
export function readSettings(folder: string): readonly (Setting & { readonly kind: string })[] {
  const matrix = JSON.parse(readFileSync(join(folder, "matrix.json"), "utf8")) as Matrix;
  const multirun = JSON.parse(readFileSync(join(folder, "multirun.json"), "utf8")) as Multirun;
  const solvable = new Set(matrix.models.flatMap(({ resolved }) => resolved));
  const blind = Object.entries(repeats).flatMap(([kind, chances]) =>
    priceSets.flatMap((set, at) => {
      const arms = set.flatMap(([start, listUsd]): readonly Arm[] => {
        const model = matrix.models.find(({ name }) => name.startsWith(start));
        if (!model) return [];
        const solved = new Set(model.resolved);
        const again = (task: number, n: number): number =>
          solvable.has(task) ? (chances[Math.min(n, chances.length) - 1] ?? 0) : 0;
        const chance = (task: number, n: number): number =>
          n > 0 ? again(task, n) : solved.has(task) ? 1 : 0;
        return [{ name: model.name, listUsd, usd: (task) => model.cost[task] ?? listUsd, chance }];
      });
      return arms.length === 3 ? [{ kind, name: `set ${at + 1}`, tasks: matrix.instances.length, arms }] : [];
    }),
  );
  const { tasks, submissions } = multirun.terminal_bench;
  const repeated = recorded.flatMap((set, at) => {
    const arms = set.flatMap(([part, listUsd]): readonly Arm[] => {
      const runs = Object.entries(submissions).find(([name]) => name.includes(part))?.[1];
      if (!runs) return [];
      // Runs are drawn without replacement: after n failures, the successes are among the rest.
      const chance = (task: number, n: number): number =>
        Math.min(1, runs.filter((run) => run[task] === 1).length / Math.max(1, runs.length - n));
      return [{ name: part, listUsd, usd: () => listUsd, chance }];
    });
    return arms.length === 3
      ? [{ kind: "recorded repeats", name: `agent ${at + 1}`, tasks: tasks.length, arms }]
      : [];
  });
  return [...blind, ...repeated];
}
