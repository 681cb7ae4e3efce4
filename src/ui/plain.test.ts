import { expect, test } from "vitest";
import type { RalphEvent } from "../events/event.ts";
import { createPlainRenderer } from "./plain.ts";

const style = { colour: false, columns: 80, quiet: false, verbose: false, hints: true, root: "/p" };

function shown(type: string, fields: object): readonly string[] {
  return createPlainRenderer(style)({ type, ...fields } as unknown as RalphEvent);
}

function started(verification: readonly string[]): readonly string[] {
  const tasks = { done: 0, failed: 0, blocked: 0, pending: 1 };
  const agent = { agent: "claude", model: null, strategy: "fixed", permission: "edit", branch: "main" };
  const run = {
    runId: "run-1",
    isolation: "read-only view of ralph's files (bubblewrap)",
    tasks,
    warnings: [],
    verification,
  };
  return shown("run.started", { ...run, ...agent }).slice(2);
}

test("UX-2 LOOP-5: the header of a run has each verification command on a line of its own", () => {
  expect(started(["npm test"])).toEqual([
    "  verification: npm test · sandbox: read-only view of ralph's files (bubblewrap)",
  ]);
  const packages = ["cd api && npm test", "cd web && npm test"];
  expect(started(packages)).toEqual([
    "  verification: 2 commands · sandbox: read-only view of ralph's files (bubblewrap)",
    ...packages.map((command) => `    ${command}`),
  ]);
  const many = Array.from({ length: 12 }, (_, at) => `cd p${at} && npm test`);
  expect(started(many).at(-1)).toBe("    … and 2 more");
  const [, line] = shown("baseline.started", { commands: packages, again: false });
  expect(line).toBe("verifying before the first attempt: 2 commands");
});
