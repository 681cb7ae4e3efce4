import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

const hour = 3_600_000;
const year = 8760 * hour;
/** By how much the wall clock is off from each task on. */
const jumps = [-year, year, 0, hour, -hour];
const ids = jumps.map((_, n) => `t-${n + 1}`);
const options = { NODE_OPTIONS: `--require ${join(import.meta.dirname, "../fakes/off-clock.cjs")}` };

let made: Practice;
afterEach(() => made?.remove());

/** Every length of time in a value, by the names of its fields. */
function lengthsIn(value: unknown, at = ""): readonly (readonly [string, number])[] {
  if (typeof value === "number") return /(?:Ms|Seconds|duration)$/i.test(at) ? [[at, value]] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => lengthsIn(inner, `${at}.${name}`));
}

/** Where the clock jumps: what the agent runs, what verification runs, and what a commit runs. */
const places = {
  "during a session": ["offset", "true", "true"],
  "between two iterations": ["next", "true", "mv ../next ../offset"],
  "during the verification": ["next", "mv ../next ../offset", "true"],
} as const;

test.each(variants(Object.entries(places), 1))(
  "LOOP-7 TRUST-8: a wall clock that jumps by hours and years %s loses no task, reaches no limit, and gives no negative time",
  async (_, [file, check, hook]) => {
    made = practice({ "check.sh": `${check}\n`, "src/base.txt": "ok\n" }, options);
    writeFileSync(join(made.dir, ".git/hooks/post-commit"), `#!/bin/sh\n[ ! -e ../next ] || ${hook}\n`, {
      mode: 0o755,
    });
    const steps = ids.map((id, n) => {
      const run = [["sh", "-c", `echo ${jumps[n]} > ../${file}`]];
      const say = `<learning category="pitfall">The exporter ${id} needs a second start.</learning>\n<task-done>${id}</task-done>`;
      return [id, [{ write: { "src/{id}.txt": "x" }, run, say }]] as const;
    });
    await made.useWorker(
      Object.fromEntries(steps),
      'verify: ["sh check.sh"]\nlimits: { taskTimeout: 2m, maxDuration: 10m }\n',
    );
    await made.addTasks(ids);
    // The second run begins with a wrong clock, and has nothing to recover.
    const runs = [await made.run("--max-iterations", "3"), await made.run()];
    expect(runs.map(({ code }) => code)).toEqual([3, 0]);
    const events = runs.flatMap((one) => one.events);
    expect(finished(events).map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual(
      ids.map((id) => `${id} done`),
    );
    expect(events.filter(({ type }) => type === "run.recovered")).toEqual([]);
    const log = made.read(".ralph/events.jsonl").trimEnd().split("\n");
    const lengths = lengthsIn([events, log.map((line) => JSON.parse(line) as unknown)]);
    expect(lengths.length).toBeGreaterThan(10);
    expect(lengths.filter(([, value]) => value < 0 || value > 10 * 60_000)).toEqual([]);
    const shown = await Promise.all(
      [["status"], ["log"], ["stats"], ["doctor"]].map((words) => made.ralph(...words)),
    );
    for (const { stdout, stderr } of shown)
      expect(`${stdout}${stderr}`).not.toMatch(/(?<![\w-])-\d+(?:\.\d)? ?(?:ms|s|m|h|d)\b/);
  },
);
