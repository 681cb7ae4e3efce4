import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, withTasks } from "./practice.ts";

// Stop and pause are asked through the run's row, which an agent can write.
let project: Practice;
afterEach(() => project?.remove());

const writeStore = resolve(import.meta.dirname, "../fakes/write-store.mjs");

test.each(variants(["stop", "stop-now", "pause", "pause 00000000.0000"], 1))(
  "TRUST-9: an agent that writes %s into the run's row neither stops nor pauses it",
  async (wish) => {
    const write = [process.execPath, writeStore, `UPDATE runs SET wish = '${wish}'`];
    const step = { write: { "src/{id}.txt": "x" }, run: [write] };
    project = await withTasks({ "*": [step] }, ["One", "Two"], 'verify: ["true"]\n');
    const { code, events } = await project.run();
    expect(events.filter(({ type }) => type === "run.paused")).toEqual([]);
    expect(
      events.filter(({ type, outcome }) => type === "iteration.finished" && outcome === "done").length,
    ).toBe(2);
    expect(code).toBe(0);
  },
);
