import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { jsonLines, type Practice, type RunEvent, ralphStart, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const fine = { write: { "src/{id}.txt": "fine\n" } };
const take = `let text = ""; process.stdin.on("data", (d) => (text += d)).on("end", () => {
  require("fs").appendFileSync(process.argv[1], JSON.stringify({ event: JSON.parse(text), secret: process.env.RALPH_RUN_ID ?? null }) + "\\n"); });`;

async function server(): Promise<{ readonly url: string; readonly posted: RunEvent[] }> {
  const posted: RunEvent[] = [];
  const listening = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      posted.push(JSON.parse(text) as RunEvent);
      response.writeHead(request.url === "/moved" ? 302 : 204, { location: "/elsewhere" }).end();
    });
  });
  await new Promise<void>((ready) => listening.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void listening.close());
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`, posted };
}

test("CTX-4 CTX-2: events go to programs, addresses and files; one that fails or hangs breaks and delays nothing", async () => {
  const { url, posted } = await server();
  const node = JSON.stringify(process.execPath);
  const config = [
    'verify: ["sh check.sh"]',
    "events:",
    "  dir: watched",
    "  hooks:",
    `    - { on: [story_complete, loop_*], run: [${node}, -e, ${JSON.stringify(take)}, ../told.jsonl] }`,
    `    - { on: run.finished, url: "${url}/key-1234" }`,
    `    - { on: loop_start, url: "${url}/moved" }`,
    `    - { on: loop_start, run: [${node}, -e, "console.error('no such pager'); process.exit(3)"] }`,
    `    - { on: loop_start, run: [sh, -c, "sleep 300 & sleep 300"], timeout: 1s }`,
    "    - { on: loop_start, run: [/nonexistent/pager] }",
    "",
  ].join("\n");
  project = await withTasks({ "*": [fine] }, ["first"], config);
  const old = `${Date.now() - 25 * 3_600_000}-loop_start-run-0.json`;
  project.git("status");
  const folder = join(project.dir, "watched");
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 0 });
  const reported = jsonLines<{ readonly event: RunEvent; readonly secret: unknown }>(
    project.read("../told.jsonl"),
  );
  expect(reported.map(({ event, secret }) => [event.type, secret])).toEqual([
    ["loop_start", null],
    ["story_complete", null],
    ["loop_complete", null],
  ]);
  expect(posted.map(({ type }) => type).sort()).toEqual(["loop_start", "run.finished"]);
  const log = readFileSync(join(project.dir, ".ralph/events.jsonl"), "utf8").trim().split("\n");
  const failed = log.map((line) => JSON.parse(line) as RunEvent).filter(({ type }) => type === "hook.failed");
  expect(failed.map(({ error }) => error).sort()).toEqual([
    expect.stringContaining("ENOENT: /nonexistent/pager"),
    "HTTP status 302",
    "exit code 3: no such pager",
    "timed out after 1000 ms",
  ]);
  expect(JSON.stringify(failed)).not.toContain("key-1234");

  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const jobId = String(events.at(-1)?.["jobId"]);
  expect(names.filter((name) => !/^\d{13}-[\w.]+-run-[0-9a-f]+\.json$/.test(name))).toEqual([]);
  const file = names.find((name) => name.endsWith(`-story_complete-${jobId}.json`)) ?? "";
  const written = JSON.parse(readFileSync(join(folder, file), "utf8")) as RunEvent;
  expect(written).toMatchObject({ type: "story_complete", jobId, storyId: "t-1" });
  expect(written).not.toHaveProperty("rows");
  expect(`${Date.parse(String(written["timestamp"]))}`.slice(0, 9)).toBe(file.slice(0, 9));
  // The folder is no task's work: nothing of it is committed or in the way.
  expect(project.git("status", "--porcelain")).toBe("");

  // The next run takes away what is older than a day, and nothing that is not ours.
  writeFileSync(join(folder, old), "{}");
  writeFileSync(join(folder, "mine-2020.json"), "{}");
  utimesSync(join(folder, "mine-2020.json"), 1, 1);
  await project.run();
  expect(existsSync(join(folder, old))).toBe(false);
  expect(existsSync(join(folder, "mine-2020.json"))).toBe(true);
  expect(readdirSync(folder)).toContain(file);
});

test("CTX-2: a hook gets what a killed run recorded after the last event that this hook had", async () => {
  const quick = 'line=$(cat); echo "$line" >> ../quick.jsonl';
  const hook = 'test -e ../go || { touch ../hangs; sleep 60; }; line=$(cat); echo "$line" >> ../slow.jsonl';
  const config = [
    'verify: ["sh check.sh"]',
    "events:",
    "  dir: watched",
    "  hooks:",
    `    - { on: loop_start, run: [sh, -c, ${JSON.stringify(quick)}] }`,
    `    - { on: [loop_start, "iteration.*"], run: [sh, -c, ${JSON.stringify(hook)}], timeout: 60s }`,
    "",
  ].join("\n");
  const waits = { run: [["sh", "-c", "test -e ../go || sleep 60"]], ...fine };
  project = await withTasks({ "*": [waits] }, ["first"], config);
  const run = spawn(process.execPath, [...ralphStart, "run", "--json"], {
    cwd: project.dir,
    env: project.env,
  });
  const logged = (file: string): readonly RunEvent[] =>
    readFileSync(join(project.dir, file), "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as RunEvent]));
  const has = (file: string): boolean => existsSync(join(project.dir, file));
  await expect.poll(() => has("../hangs") && has("../quick.jsonl"), { timeout: 20_000 }).toBe(true);
  await expect
    .poll(() => logged(".ralph/events.jsonl").map(({ type }) => type), { timeout: 20_000 })
    .toContain("iteration.started");
  run.kill("SIGKILL");
  await new Promise((done) => run.once("exit", done));
  project.write("../go", "");
  expect((await project.run()).code).toBe(0);
  const all = logged(".ralph/events.jsonl");
  const wanted = all.filter(({ type }) => type === "loop_start" || type.startsWith("iteration."));
  expect(wanted.filter(({ type }) => type === "loop_start")).toHaveLength(2);
  // A kill may come after a hook ran and before that is noted: at least once.
  const seqs = (file: string): readonly unknown[] => [...new Set(logged(file).map(({ seq }) => seq))];
  expect(seqs("../slow.jsonl")).toEqual(wanted.map(({ seq }) => seq));
  expect(seqs("../quick.jsonl")).toHaveLength(2);
  const files = readdirSync(join(project.dir, "watched")).filter((name) => name.endsWith(".json"));
  const inFiles = files.flatMap((name) => logged(`watched/${name}`)).map(({ seq }) => seq);
  expect(all.filter(({ seq, jobId }) => jobId !== null && !inFiles.includes(seq))).toEqual([]);
  expect(has(".ralph/outlets.json")).toBe(false);
});

test("CTX-4 TRUST-5: a hook in the project's file runs only once that file is approved", async () => {
  project = await withTasks({ "*": [fine] }, ["first"]);
  const config = project.read(".ralph/config.yaml");
  project.write(".ralph/config.yaml", `${config}events: { hooks: [{ on: "*", run: [touch, ../pwned] }] }\n`);
  project.git("commit", "-qam", "a hook");
  expect((await project.ralph("run", "--yes")).code).toBe(5);
  expect(existsSync(join(project.dir, "../pwned"))).toBe(false);
  for (const hook of [
    "{ on: run.finished }",
    "{ on: run.finished, run: [x], url: http://x }",
    "{ on: run.finished, url: ftp://x }",
    "{ run: [x] }",
  ]) {
    project.write(".ralph/config.yaml", `${config}events: { hooks: [${hook}] }\n`);
    expect(await project.answer("status")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("events.hooks"),
    });
  }
});

test("CTX-4 TRUST-9: an approved hook is a person's program, and so is what it stores", async () => {
  const ralph = JSON.stringify(join(import.meta.dirname, "../../bin/ralph.js"));
  const store = `node ${ralph} memory store the-hook-waits-for-the-queue-of-mails`;
  const hook = `{ on: commit.created, run: [sh, -c, '${store}'] }`;
  const config = `verify: ["sh check.sh"]\nevents: { hooks: [${hook}] }\n`;
  project = await withTasks({ "*": [fine] }, ["first"], config);
  expect((await project.run()).code).toBe(0);
  expect(await project.json("memory", "list")).toMatchObject([{ provenance: { source: "person" } }]);
});
