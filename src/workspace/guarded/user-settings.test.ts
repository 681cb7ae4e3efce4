import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  makePipe,
  removeTempRepositories,
  tempFolder,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { guard, restoreGuarded } from "../guard.ts";

afterEach(removeTempRepositories);

const planted = "events: { hooks: [{ on: '*', run: [evil] }] }\n";
const own = "agent: claude\n";
const name = "~/.config/ralph/config.yaml";

async function userSettings(text?: string) {
  const home = tempFolder();
  const file = join(home, ".config/ralph/config.yaml");
  if (text !== undefined) mkdirSync(dirname(file), { recursive: true });
  if (text !== undefined) writeFileSync(file, text);
  const ws = await openRunWorkspace(tempRepository().dir, { ...gitEnv, HOME: home });
  const before = await guard(ws);
  const keepIn = tempFolder();
  return { home, file, before, restore: () => restoreGuarded(ws, before, keepIn) };
}

test("TRUST-5 LOOP-18: what an agent writes into the user's configuration of ralph is undone, and named", async () => {
  const { file, restore, before } = await userSettings(own);
  expect(await restore()).toEqual([]);
  writeFileSync(file, planted);
  expect(await restore()).toEqual([name]);
  expect(readFileSync(file, "utf8")).toBe(own);
  rmSync(dirname(file), { recursive: true });
  expect(await restore()).toContain(name);
  expect(readFileSync(file, "utf8")).toBe(own);
  expect(await restore()).toEqual([]);
  // Nor is its text, which may hold credentials, in the project's store.
  expect(JSON.stringify(before)).not.toContain(Buffer.from(own).toString("base64"));
});

test("TRUST-5 LOOP-18: a user's configuration of ralph that an agent makes is removed, also a pipe", async () => {
  const { file, restore } = await userSettings();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, planted);
  expect(await restore()).toEqual([name]);
  expect(existsSync(file)).toBe(false);
  makePipe(file);
  expect(await restore()).toEqual([name]);
  expect(existsSync(file)).toBe(false);
});

test("TRUST-6 LOOP-18: a link in place of the folder of that configuration is replaced, not followed", async () => {
  const { file, restore, home } = await userSettings(own);
  renameSync(dirname(file), join(home, "old"));
  const elsewhere = tempFolder();
  writeFileSync(join(elsewhere, "config.yaml"), planted);
  symlinkSync(elsewhere, dirname(file));
  expect(await restore()).toContain(name);
  expect(readFileSync(file, "utf8")).toBe(own);
  expect(readFileSync(join(elsewhere, "config.yaml"), "utf8")).toBe(planted);
});
