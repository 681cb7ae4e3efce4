import { afterAll, beforeAll, expect, test } from "vitest";
import { hasScreen, onScreen } from "../on-screen.ts";
import { type Practice, withTasks } from "./practice.ts";

const title = "Read dates with a zone and keep that zone when they are written to any of the several logs";
const reason = "verification failed: sh check.sh: exit code 2";
let project: Practice;
let screen: string;

beforeAll(async () => {
  if (!hasScreen) return;
  project = await withTasks(
    { "*": [{ write: { "src/{id}.txt": "BROKEN" } }, { write: { "src/{id}.txt": "fine" } }] },
    [title],
  );
  // Without the live line, whose frames are redrawn in place.
  const { dir, env } = { ...project, env: { ...project.env, RALPH_NO_PROGRESS: "1" } };
  ({ screen } = await onScreen(["run", "--max-iterations", "2"], { dir, env }, [], 60));
});
afterAll(() => project?.remove());

const times = (text: string, part: string): number => text.split(part).length - 1;

test.skipIf(!hasScreen)("UX-2: text wraps at words at the terminal's width", async () => {
  expect(Math.max(...screen.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(screen).toMatch(/zone when they\n {2}are written to any/);
  const { screen: help } = await onScreen(["help", "exit-codes"], project, [], 60);
  expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(help).toMatch(/^ {4}5 {2}environment error/m);
});

test.skipIf(!hasScreen)("UX-3 UX-2: the screen and the log show a failure once", async () => {
  expect(times(screen, "verification failed")).toBe(1);
  expect(times(screen, "error TS2322")).toBe(1);
  const { stdout: log } = await project.ralph("log", "t-1");
  expect(times(log, reason)).toBe(1);
  expect(times(log, "error TS2322")).toBe(1);
});
