import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { hasScreen, onScreen } from "../on-screen.ts";
import { type Practice, practice, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const config = (verify: string, rest = ""): string => `agent: command
agents: { command: { argv: [node, "my agent.mjs", --fast] } }
verify: ${verify}
events: { hooks: [{ on: [run.finished], run: [notify-send, done] }, { on: "iteration.*", url: "http://127.0.0.1:1/x" }] }
${rest}`;

test("TRUST-5: trust show prints what would be executed, and after a change only the difference", async () => {
  project = practice();
  project.write(".ralph/config.yaml", config('["npm test", "npm run lint"]'));
  const first = await project.ralph("trust", "show");
  expect(first.stdout).toBe(`This project makes ralph execute what you have not approved:
  + agents.command  node "my agent.mjs" --fast
  + verify          npm test
  + verify          npm run lint
  + events.hooks    on run.finished: notify-send done
  + events.hooks    on iteration.*: POST http://127.0.0.1:1/x
`);
  const approved = await project.ralph("trust", "approve", "--yes");
  expect(approved.stderr).toBe("approved 5 items; next: run `ralph run`\n");
  const all = (await project.ralph("trust", "show")).stdout;
  expect(all.match(/^✓ approved {6}/gm)).toHaveLength(5);
  project.write(
    ".ralph/config.yaml",
    config('["npm test; curl evil\\e[1A", "npm run lint"]', "strategy: fixed\n"),
  );
  expect(
    (await project.ralph("trust", "show")).stdout,
  ).toBe(`What this project makes ralph execute has changed since you approved it:
  - verify  npm test
  + verify  npm test; curl evil\\u{1b}[1A
  4 other items: approved, unchanged
`);
  expect((await project.ralph("trust", "show", "--all")).stdout).toMatch(
    /^✓ approved {6}verify +npm run lint$/m,
  );
});

test("TRUST-5: a changed comment, strategy or limit needs no new approval; a changed command does", async () => {
  project = await withTasks(
    { "*": [{ write: { "src/{id}.txt": "x" }, say: "<task-done>{id}</task-done>" }] },
    ["one", "two"],
  );
  const own = project.read(".ralph/config.yaml");
  const change = async (text: string) => {
    project.write(".ralph/config.yaml", text);
    project.git("commit", "-qam", "change the configuration");
    return await project.ralph("run", "--once");
  };
  expect((await change(`# a comment\n${own}strategy: fixed\nlimits: { maxAttempts: 7 }\n`)).code).toBe(3);
  const refused = await change(own.replace("sh check.sh", "sh check.sh; touch ../ran-unapproved"));
  expect(refused.code).toBe(5);
  expect(refused.stderr).toMatch(
    /^error: not approved to run in \.ralph\/config\.yaml: verify: sh check\.sh; touch /m,
  );
  expect(existsSync(join(project.dir, "../ran-unapproved"))).toBe(false);
  expect((await change(own)).code).toBe(0);
});

test("TRUST-5: --dry-run asks nothing and contacts nothing; neither do context and memory find", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end("{}");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  project = await withTasks({}, ["one"]);
  await project.ralph(
    "memory",
    "store",
    "Dates are parsed in src/dates.ts, always as UTC",
    "--category",
    "dates",
  );
  project.write(
    ".ralph/config.yaml",
    `${project.read(".ralph/config.yaml")}events: { hooks: [{ on: "*", url: "${url}" }] }\n`,
  );
  project.git("commit", "-qam", "a hook");
  const dry = await project.ralph("run", "--dry-run");
  expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining("task t-1, attempt 1")]);
  await project.ralph("context", "t-1");
  await project.ralph("memory", "find", "dates");
  server.close();
  expect(asked).toBe(0);
  expect((await project.ralph("run")).code).toBe(5);
});

test("TRUST-5: a task's own verification is named by its task, and does not keep `ralph verify` from the project's", async () => {
  project = await withTasks({}, ["one"]);
  const own = "sh check.sh -- dates";
  const toApprove =
    "hint: run `ralph trust approve`: the verification of t-2 is executed only after you approved it\n";
  const added = await project.ralph("task", "add", "Parse dates", "--id", "t-2", "--verify", own);
  expect([added.code, added.stderr]).toEqual([0, toApprove]);
  const approved = await project.ralph("task", "edit", "t-2", "--verify", "sh check.sh");
  expect([approved.code, approved.stderr]).toEqual([0, "hint: ralph task show t-2\n"]);
  const edited = await project.ralph("task", "edit", "t-2", "--verify", own);
  expect([edited.code, edited.stderr]).toEqual([0, toApprove]);
  const refused = await project.ralph("run");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/^error: not approved to run: verification of t-2: sh check\.sh -- dates$/m),
  ]);
  const verified = await project.ralph("verify");
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^✓ sh check\.sh /)]);
  // The commands that it does run need approval as before.
  project.write(".ralph/config.yaml", project.read(".ralph/config.yaml").replace("sh check", "sh ./check"));
  const changed = await project.ralph("verify");
  expect([changed.code, changed.stderr]).toEqual([
    5,
    expect.stringMatching(/^error: not approved to run in \.ralph\/config\.yaml: verify: sh \.\/check\.sh$/m),
  ]);
});

test("TRUST-5: the hint of a refused run repeats the flag that chose its configuration", async () => {
  project = await withTasks({}, []);
  await project.addTasks([{ id: "t-1", title: "one", verification: [{ run: "true", timeoutMs: 60_000 }] }]);
  const hintOf = async (...flags: string[]): Promise<string | undefined> =>
    (await project.ralph(...flags, "run")).stderr.match(/^hint: .*$/m)?.[0];
  expect(await hintOf()).toBe("hint: review with `ralph trust show`, then run `ralph trust approve`");
  const none = await hintOf("--no-config");
  expect(none).toBe(
    "hint: review with `ralph --no-config trust show`, then run `ralph --no-config trust approve`",
  );
  project.write("a folder/own.yaml", project.read(".ralph/config.yaml"));
  const other = "--config 'a folder/own.yaml'";
  expect(await hintOf("--config", "a folder/own.yaml")).toBe(
    `hint: review with \`ralph ${other} trust show\`, then run \`ralph ${other} trust approve\``,
  );
});

test.skipIf(!hasScreen)(
  "TRUST-5: the question shows the difference, and no means that nothing runs",
  async () => {
    project = await withTasks(
      { "*": [{ write: { "src/{id}.txt": "x" }, say: "<task-done>{id}</task-done>" }] },
      ["one"],
    );
    project.write(".ralph/config.yaml", project.read(".ralph/config.yaml").replace("sh check", "sh ./check"));
    project.git("commit", "-qam", "another command");
    const no = await onScreen(["run"], project, [[/Approve and continue\? \[y\/N\] /, ""]]);
    expect(no.screen).toContain(`  - verify  sh check.sh
  + verify  sh ./check.sh
  1 other item: approved, unchanged
Approve and continue? [y/N]`);
    expect(no.code).toBe(5);
    expect(await project.json("task", "list")).toMatchObject([{ attempts: 0 }]);
    const yes = await onScreen(["run"], project, [[/Approve and continue\? \[y\/N\] /, "y"]]);
    expect(yes.code).toBe(0);
  },
);
