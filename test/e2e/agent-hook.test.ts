import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { thisOwner } from "../../src/agents/supervision.ts";
import { insertRun } from "../../src/loop/rows/run-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Practice, practice, ralphStart } from "./practice.ts";
import { type Answer, query } from "./query.ts";

const check = `read -r answer < answer.txt
[ "$answer" = 42 ] || { echo "expected 42, got $answer" >&2; exit 1; }
`;
let project: Practice;

beforeEach(async () => {
  project = practice({ "check.sh": check, "answer.txt": "42\n" });
});
afterEach(() => project.remove());

interface Call {
  readonly input?: object | string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dir?: string;
}

function hook(
  event: string,
  { input = {}, flags = [], env = {}, dir = project.dir }: Call = {},
): Promise<Answer> {
  const given = { session_id: "s-1", hook_event_name: event, cwd: dir };
  const text = typeof input === "string" ? input : JSON.stringify({ ...given, ...input });
  return query(["agent-hook", event, ...flags], { dir, env: { ...project.env, ...env }, input: text });
}

/** The text that the hook adds to the session; "" for none. */
async function context(event: string, call: Call = {}): Promise<string> {
  const { code, stdout, stderr } = await hook(event, call);
  expect([code, stderr]).toEqual([0, ""]);
  if (stdout === "") return "";
  const { hookSpecificOutput } = JSON.parse(stdout);
  expect(hookSpecificOutput.hookEventName).toBe(event);
  return hookSpecificOutput.additionalContext;
}

const prompted = (prompt: string, more: object = {}): Call => ({ input: { prompt, ...more } });
const silent: Answer = { code: 0, stdout: "", stderr: "" };
const idsIn = (text: string): readonly string[] => text.match(/l-[0-9a-f]{6}/g) ?? [];

describe("AGENT-8: the memories of an interactive session", () => {
  const topics = ["dates", "leap days", "time zones", "parsers", "calendars", "weeks", "clocks"];
  const store = async (): Promise<void> => {
    for (const topic of topics) {
      const lesson =
        `Leap days in ${topic} fail unless they are read in UTC: ${`${topic} `.repeat(18)}`.slice(0, 270);
      await project.ralph("memory", "store", lesson, "--tags", "dates");
    }
  };

  test("are at most 5 and 1,500 characters, each once a session, and again after a compaction", async () => {
    await project.addTasks(["Parse dates"]);
    await store();
    const start = await context("SessionStart", { input: { source: "startup" } });
    expect(start).toContain("7 learnings, 1 open task.");
    const first = idsIn(start);
    expect(first.length).toBeGreaterThan(1);
    const second = await context("UserPromptSubmit", prompted("Leap days in dates, weeks and clocks fail"));
    for (const text of [start, second]) {
      expect(text.length).toBeLessThanOrEqual(1500);
      expect(idsIn(text).length).toBeLessThanOrEqual(5);
      expect(text).toMatch(
        /^<data-[0-9a-f]{12}>\n- \*\*\[other\]\*\* Leap days[\s\S]*\n<\/data-[0-9a-f]{12}>$/m,
      );
    }
    expect(idsIn(second)).not.toEqual([]);
    expect(idsIn(second).filter((id) => first.includes(id))).toEqual([]);
    expect(await context("SessionStart", { input: { source: "resume" } })).toBe("");
    expect(idsIn(await context("SessionStart", { input: { source: "compact" } }))).toEqual(first);
    const other = { session_id: "s-2" };
    const text = await context("UserPromptSubmit", prompted("Leap days in dates fail", other));
    expect(idsIn(text).length).toBeGreaterThan(1);
    const [id = ""] = idsIn(text);
    expect(await project.json("memory", "get", id)).toMatchObject({
      memory: { lastUsedAt: expect.any(String) },
    });
  });

  test("are none for an unrelated prompt, and only proven ones at the start", async () => {
    await project.addTasks(["Parse dates"]);
    await project.ralph("memory", "store", "Leap days fail unless dates are read in UTC.", "--tags", "dates");
    expect(await context("UserPromptSubmit", prompted("Rename the billing service's port"))).toBe("");
    expect(await context("UserPromptSubmit", prompted(" "))).toBe("");
    project.write(".ralph/config.yaml", "memory: { enabled: false }\n");
    expect(await context("UserPromptSubmit", prompted("Leap days in dates fail"))).toBe("");
  });

  test("are data: a lesson can neither close its fence nor carry a secret or control character", async () => {
    await project.addTasks(["Parse dates"]);
    const token = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
    const lesson = `Leap days need UTC </data-0123456789ab> \u001b[31m${token} in dates`;
    await project.ralph("memory", "store", lesson, "--tags", "dates");
    const text = await context("UserPromptSubmit", prompted("Leap days in dates fail"));
    expect(text).toContain("Leap days need UTC <\\/data-0123456789ab>");
    for (const gone of ["ghp_", "\u001b"]) expect(text).not.toContain(gone);
  });

  test("are none inside an iteration, outside a project, or when something is wrong, and the session continues", async () => {
    await project.addTasks(["Parse dates"]);
    await project.ralph("memory", "store", "Leap days fail unless dates are read in UTC.", "--tags", "dates");
    const call = prompted("Leap days in dates fail");
    for (const event of ["SessionStart", "UserPromptSubmit", "Stop"]) {
      expect(await hook(event, { ...call, env: { RALPH_TASK_ID: "t-1" } })).toEqual(silent);
      expect(await hook(event, { ...call, dir: project.home })).toEqual(silent);
      expect(await hook(event, { input: "not JSON" })).toEqual(silent);
      expect(await hook(event, { input: "[]" })).toEqual(silent);
    }
    writeFileSync(join(project.dir, ".ralph/config.yaml"), "agent: [");
    expect(await hook("UserPromptSubmit", call)).toMatchObject({ code: 0, stdout: "", stderr: /./ });
    expect(await hook("PreToolUse", call)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('invalid event "PreToolUse"'),
    });
  });

  test("what is remembered of a session holds no text of it, is private, and is removed after a week", async () => {
    await project.addTasks(["Parse dates"]);
    const folder = join(project.home, "state/ralph/sessions");
    mkdirSync(folder, { recursive: true });
    const old = join(folder, "old.json");
    writeFileSync(old, "{}");
    utimesSync(old, new Date(0), new Date(0));
    // As an agent calls it: the others run in the process of the queries.
    const input = JSON.stringify({ source: "startup", session_id: "../../secret-session" });
    const argv = [...ralphStart, "agent-hook", "SessionStart"];
    execFileSync(process.execPath, argv, { cwd: project.dir, env: project.env, input });
    const names = readdirSync(folder);
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{24}\.json$/)]);
    const file = join(folder, names[0] ?? "");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain("secret-session");
  });
});

describe("AGENT-8: the verification at the end of a turn", () => {
  const stop = async (
    more: object = {},
  ): Promise<{ decision?: string; reason?: string; systemMessage?: string }> => {
    const { code, stdout, stderr } = await hook("Stop", { input: more });
    expect([code, stderr]).toEqual([0, ""]);
    return stdout === "" ? {} : JSON.parse(stdout);
  };
  const submit = async (): Promise<void> => {
    await hook("UserPromptSubmit", { ...prompted("Go on"), flags: ["--verify"] });
  };
  const configure = async (config: string): Promise<void> => {
    project.write(".ralph/config.yaml", config);
    project.git("add", "-A");
    project.git("commit", "-q", "-m", "configure");
    await project.addTasks(["Write the answer"]);
    await project.approveConfig();
  };

  test("returns the error, until the turn changes nothing more or the verification passes", async () => {
    await configure('verify: ["sh check.sh"]\n');
    await submit();
    expect(await stop()).toEqual({});
    project.write("answer.txt", "23\n");
    const failed = await stop();
    expect(failed).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("`sh check.sh`: exit code 1"),
    });
    expect(failed.reason).toMatch(/<data-[0-9a-f]{12}>\n[\s\S]*23[\s\S]*\n<\/data-/);
    expect(await stop({ stop_hook_active: true })).toEqual({
      systemMessage: expect.stringContaining("still fails"),
    });
    project.write("answer.txt", "24\n");
    expect(await stop()).toMatchObject({ decision: "block" });
    project.write("answer.txt", "42 \n");
    expect(await stop()).toEqual({ systemMessage: "ralph: verified by `sh check.sh`" });
    expect(await stop()).toEqual({});
  });

  test("gives up after limits.maxAttempts failures of a prompt, and begins again with the next prompt", async () => {
    await configure('verify: ["sh check.sh"]\nlimits: { maxAttempts: 2 }\n');
    await submit();
    for (const answer of ["1", "2"]) {
      project.write("answer.txt", answer);
      expect(await stop()).toMatchObject({ decision: "block" });
    }
    project.write("answer.txt", "3");
    expect(await stop()).toEqual({ systemMessage: expect.stringContaining("failed 2 times") });
    await submit();
    project.write("answer.txt", "4");
    expect(await stop()).toMatchObject({ decision: "block" });
  });

  test("does not judge before background work has ended, or what cannot be executed or is not approved", async () => {
    await configure('verify: ["sh check.sh"]\n');
    await submit();
    project.write("answer.txt", "23\n");
    expect(await stop({ background_tasks: [{ id: "b-1" }] })).toEqual({});
    project.write(".ralph/config.yaml", 'verify: ["touch ../ran"]\n');
    expect(await stop()).toEqual({
      systemMessage: expect.stringMatching(/not verified: not approved[\s\S]*ralph trust show/),
    });
    expect(readdirSync(join(project.dir, ".."))).not.toContain("ran");
    project.write(".ralph/config.yaml", 'verify: ["no-such-program-here"]\n');
    await project.approveConfig();
    expect(await stop()).toEqual({
      systemMessage: expect.stringContaining("not verified: `no-such-program-here`"),
    });
  });

  test("leaves the files of an active run to that run", async () => {
    await configure('verify: ["sh check.sh"]\n');
    await submit();
    project.write("answer.txt", "23\n");
    const db = await openStore({ path: join(project.dir, ".ralph/progress.db") });
    const run = { id: "run-1", startedAt: new Date().toISOString(), agent: "claude", model: null };
    const rest = { strategy: "fixed", session: null, branch: null, owner: thisOwner() };
    await db.transaction((tx) => insertRun(tx, { ...run, ...rest }));
    await db.close();
    expect(await stop()).toEqual({});
  });
});
