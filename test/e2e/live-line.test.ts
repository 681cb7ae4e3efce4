import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasScreen, onScreen } from "../on-screen.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
/** The screen of each run, frames of the live line included. */
let claude: string;
let command: string;

const pause = ["sleep", "1"];

beforeAll(async () => {
  if (!hasScreen) return;
  project = practice({ "src/base.txt": "x" });
  const input = { file_path: join(project.dir, "src/dates.ts") };
  const content = [{ type: "tool_use", id: "u", name: "Edit", input }];
  const step = { type: "assistant", message: { id: "m", content } };
  const working = {
    run: [["echo", JSON.stringify(step)], pause],
    loud: true,
    write: { "src/{id}.txt": "x" },
    cost: 0.5,
  };
  await project.useWorker({ format: "claude-stream-json", "*": [working] }, 'verify: ["true"]\n');
  const config = project.read(".ralph/config.yaml");
  project.write(".ralph/config.yaml", config.replace("tiers:", "format: claude-stream-json, tiers:"));
  project.git("commit", "-qam", "stream");
  await project.approveConfig();
  await project.addTasks(["Read dates", "Write dates with the zone that was read"]);
  ({ screen: claude } = await onScreen(["run"], project, [[/Edit /, "typed\u001b[A"]], 120));
  project.write(".ralph/config.yaml", config);
  project.git("commit", "-qam", "text");
  await project.approveConfig();
  project.setScript({
    "*": [{ ...working, run: [["echo", "compiling", join(project.dir, "src/a.ts")], pause] }],
  });
  await project.addTasks([{ id: "t-3", title: "Compile" }]);
  ({ screen: command } = await onScreen(["run"], project, [], 70));
});
afterAll(() => project?.remove());

test.skipIf(!hasScreen)(
  "LOOP-23: the live line shows n of m, task, attempt, model, time, cost and step",
  () => {
    const step = "Edit src/dates\\.ts";
    expect(claude).toMatch(
      new RegExp(`[⠋-⠿] 1 of 2 t-1 Read dates · attempt 1 · small · [\\d.]+ m?s · ${step}`),
    );
    const facts = "attempt 1 · small · [\\d.]+ m?s · \\$0\\.50";
    expect(claude).toMatch(new RegExp(`[⠋-⠿] 2 of 2 t-2 Write dates with the zone.* · ${facts} · ${step}`));
    expect(claude).toMatch(/ {2}· Edit src\/dates\.ts$/m);
  },
);

test.skipIf(!hasScreen)("LOOP-23: keys that are typed during a run are not echoed", () => {
  expect(claude).toContain("all tasks are done");
  expect(claude).not.toContain("typed");
});

test.skipIf(!hasScreen)("LOOP-23: the output of a command agent stays in the scroll-back", () => {
  expect(command).toMatch(/[⠋-⠿] 3 of 3 t-3 Compile · attempt 1 · small · .* · compiling/);
  expect(command).toMatch(/ {2}· compiling src\/a\.ts$/m);
  const [live] = command.match(/[⠋-⠿] 3 of 3[^⠋-⠿\n]*/) ?? [""];
  expect(live.length).toBeLessThanOrEqual(70);
});
