import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openProjectKey } from "./project-key.ts";

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "key-"));
});
afterAll(() => rmSync(base, { recursive: true }));

const chain = (letter: string): string => `12345678.${letter.repeat(22)}`;

function opened(name: string) {
  const state = join(base, name);
  const key = openProjectKey(state, base);
  key.writeHead({ seq: 1, chain: chain("a") });
  const [project = ""] = readdirSync(join(state, "projects"));
  return { key, file: join(state, "projects", project, "head.json") };
}

test("the head of the log is replaced in place, also by a longer number", () => {
  const { key, file } = opened("place");
  const { ino, size } = statSync(file);
  const last = { seq: Number.MAX_SAFE_INTEGER, chain: chain("b") };
  key.writeHead(last);
  expect(key.readHead()).toEqual(last);
  expect(statSync(file)).toMatchObject({ ino, size });
});

test("a head of another version is read, and replaced by a whole one", () => {
  const { key, file } = opened("earlier");
  writeFileSync(file, `${JSON.stringify({ seq: 7, chain: chain("c") })}\n`);
  expect(key.readHead()).toEqual({ seq: 7, chain: chain("c") });
  key.writeHead({ seq: 8, chain: chain("d") });
  expect(key.readHead()).toEqual({ seq: 8, chain: chain("d") });
});

test("a head that was read during a write is not believed", () => {
  const { key, file } = opened("torn");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"seq":1', '"seq":2'));
  expect(key.readHead()).toBeNull();
});

test.runIf(process.platform === "linux")("TRUST-12: a state folder that leads to /proc is not used", () => {
  const state = join(base, "proc");
  symlinkSync("/proc/self", state);
  const key = openProjectKey(join(state, "ralph"), base);
  key.writeHead({ seq: 1, chain: chain("a") });
  expect(key.readHead()).toBeNull();
});

test("TRUST-10: a note of open changes that an earlier version left without a seal counts and is not called changed", () => {
  const { key, file } = opened("older-note");
  const changes = [{ name: "~/.npmrc" }];
  writeFileSync(join(file, "../inputs.json"), `${JSON.stringify({ changes })}   \n`);
  expect(key.readInputs(null)).toEqual({ changes, mark: null, fault: null });
  expect(key.readInputs("12345678.x").fault).toBe("changed");
  writeFileSync(join(file, "../inputs.json"), JSON.stringify({ changes, seal: "12345678.x" }));
  expect(key.readInputs(null).fault).toBe("changed");
});

test("TRUST-12: a head in a file that an agent made huge is not read", () => {
  const { key, file } = opened("huge");
  writeFileSync(file, `${readFileSync(file, "utf8")}${" ".repeat(65 * 1024 ** 2)}`);
  expect(key.readHead()).toBeNull();
  key.writeHead({ seq: 2, chain: chain("a") });
  expect(key.readHead()).toEqual({ seq: 2, chain: chain("a") });
});
