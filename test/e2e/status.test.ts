import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice, ralphBin } from "./practice.ts";

let project: Practice;
const status = async (...words: string[]): Promise<unknown> =>
  JSON.parse((await project.start("status", ...words, "--json")).stdout);
const cache = (): string => join(project.dir, ".ralph", "cache", "agents.json");

beforeEach(async () => {
  project = practice();
  await project.useWorker({});
  await project.addTasks(["one"]);
});

afterEach(() => project.remove());

test.each(variants([[[]], [["--json"]], [["--quiet"]], [["--quiet", "--json"]]], 1))(
  "IF-3: the short way of `ralph status %j` says what the whole program says",
  async (words) => {
    const first = await project.start("status", ...words);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("command") });
    expect(JSON.parse(readFileSync(cache(), "utf8"))).toMatchObject({ agents: ["command"] });
    expect(await project.start("status", ...words)).toEqual(first);
  },
);

test("IF-3: what changed since is told, tasks and configuration", async () => {
  await project.start("status");
  await project.ralph("task", "add", "two");
  project.write(".ralph/config.yaml", "agent: claude\n");
  expect(await status()).toMatchObject({ tasks: { total: 2 }, agent: ["claude"] });
  project.write("other.yaml", "agent: other\n");
  expect(await status("--config", "other.yaml")).toMatchObject({ agent: ["other"] });
  expect(await status()).toMatchObject({ agent: ["claude"] });
});

test("what is remembered of another configuration, or is no memory at all, is not shown", async () => {
  await project.start("status");
  const remembered = JSON.parse(readFileSync(cache(), "utf8")) as object;
  // That it is shown at all, when all is as it was.
  writeFileSync(cache(), JSON.stringify({ ...remembered, agents: ["remembered"] }));
  expect(await status()).toMatchObject({ agent: ["remembered"] });
  for (const content of [
    JSON.stringify({ ...remembered, configuration: "x", agents: ["evil"] }),
    "{",
    "[]",
  ]) {
    writeFileSync(cache(), content);
    expect(await status()).toMatchObject({ agent: ["command"] });
  }
});

test("the short way loads no part of Node that takes milliseconds and is not needed for it", async () => {
  await project.start("status");
  const hook = join(project.home, "list-modules.cjs");
  writeFileSync(hook, 'process.on("exit", () => process.stderr.write(process.moduleLoadList.join("\\n")));');
  const { dir: cwd, env } = project;
  const command = `"${process.execPath}" --require "${hook}" "${ralphBin}" status --quiet 2>&1`;
  const loaded = execFileSync("/bin/sh", ["-c", command], { cwd, env, encoding: "utf8" }).split("\n");
  expect(loaded).toContain("NativeModule module");
  expect(loaded.filter((name) => /^NativeModule (?:crypto|child_process|fs\/promises)$/.test(name))).toEqual(
    [],
  );
});

test("UX-4: of many tasks that need a person three are named, and how many more there are", async () => {
  await project.addTasks(["two", "three", "four", "five"].map((title) => ({ id: title, title })));
  project.write("check.sh", "exit 0\n");
  await project.useWorker({ "*": [{}] }, 'verify: ["true"]\n');
  await project.run();
  expect((await project.ralph("status")).stdout).toMatch(
    /(?:needs .*[\s\S]*){3}… and 2 more: ralph task list/,
  );
});

test("UX-4: a run of a task that is done says so, and how to do it again", async () => {
  await project.addTasks([{ id: "two", title: "two" }]);
  await project.useWorker({ "*": [{ write: { "{id}.txt": "x\n" } }] }, 'verify: ["true"]\n');
  expect((await project.run("two")).code).toBe(0);
  const { stdout } = await project.ralph("run", "two");
  expect(stdout).toContain("the named tasks are done");
  expect(stdout).toContain("to do it again: ralph task retry two");
});
