import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isAlive, startTimeOf, thisOwner } from "./identity.ts";

test("this process is alive, and a later one with its pid is not it", () => {
  const owner = thisOwner();
  expect(owner.pid).toBe(process.pid);
  expect(isAlive(owner)).toBe(true);
  expect(isAlive({ ...owner, startTime: "1" })).toBe(false);
  expect(isAlive({ ...owner, bootId: "another boot" })).toBe(false);
});

test("LOOP-11: a process that was killed is dead at once, even before its parent has noticed", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const owner = { ...thisOwner(), pid: child.pid ?? 0, startTime: startTimeOf(child.pid ?? 0) ?? "" };
  expect(isAlive(owner)).toBe(true);
  child.kill("SIGKILL");
  // Without an await: Node cannot take its exit notice in between.
  const start = performance.now();
  while (isAlive(owner) && performance.now() - start < 5000);
  expect(child.signalCode).toBeNull();
  expect(isAlive(owner)).toBe(false);
  await once(child, "exit");
});

test("nobody is declared dead from another host", () => {
  expect(isAlive({ pid: 1, startTime: "1", bootId: "1", host: "elsewhere" })).toBe(true);
});
