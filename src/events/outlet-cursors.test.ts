import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCursors } from "./outlet-cursors.ts";

test("CTX-2: events that follow each other are saved as one write, a killed run's are read, and the end removes them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ralph-cursors-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "outlets.json");
  const saved = (): unknown => JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ a: 3 }));
  const cursors = await openCursors(file, ["a", "b"], 7);
  expect(saved()).toEqual({ a: 3, b: 7 });
  const { ino } = statSync(file);
  for (let seq = 4; seq <= 40; seq++) cursors.delivered("a", seq);
  expect([statSync(file).ino, cursors.of("a"), saved()]).toEqual([ino, 40, { a: 3, b: 7 }]);
  await expect.poll(saved).toEqual({ a: 40, b: 7 });
  cursors.delivered("b", 41);
  await cursors.close();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(existsSync(file)).toBe(false);
});
