import { afterEach, expect, test } from "vitest";
import { isObject } from "../../src/base/json.ts";
import { type Practice, practice, runRalph } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

interface Shown {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

test("UX-5: each value is shown with where it comes from, the nearest one winning", async () => {
  project = practice();
  project.write(".ralph/config.yaml", "model: opus\nlimits: { maxAttempts: 7, taskTimeout: 45m }\n");
  project.write(
    "../home/config/ralph/config.yaml",
    "strategy: escalate\nmodel: haiku\nlimits: { taskTimeout: 1h }\n",
  );
  const env = { ...project.env, RALPH_LIMITS_MAX_ATTEMPTS: "9" };
  const { stdout, code } = await runRalph(["config", "show", "--json"], { dir: project.dir, env });
  expect(code).toBe(0);
  const shown = new Map((JSON.parse(stdout) as Shown[]).map((row) => [row.key, row]));
  const own = `${project.dir}/.ralph/config.yaml`;
  const users = `${project.home}/config/ralph/config.yaml`;
  const look = (key: string) => [shown.get(key)?.value, shown.get(key)?.origin];
  expect(look("limits.maxAttempts")).toEqual([9, "RALPH_LIMITS_MAX_ATTEMPTS"]);
  expect(look("model")).toEqual(["opus", own]);
  expect(look("limits.taskTimeout")).toEqual(["45m", own]);
  expect(look("strategy")).toEqual(["escalate", users]);
  expect(look("limits.idleTimeout")).toEqual(["10m", "default"]);
  const bare = (await project.json("config", "--no-config")) as Shown[];
  expect(bare.filter(({ origin }) => origin !== "default")).toEqual([]);
});

test("UX-5: a verification command without a time limit is shown with the default of 10 minutes", async () => {
  project = practice();
  project.write(".ralph/config.yaml", 'verify: ["npm test", { run: "npm run lint", timeout: 5m }]\n');
  const shown = (await project.json("config")) as Shown[];
  expect(shown.find(({ key }) => key === "verify")?.value).toEqual([
    { run: "npm test", timeout: "10m" },
    { run: "npm run lint", timeout: "5m" },
  ]);
  expect((await project.ralph("config", "schema")).stdout).toMatch(/must all exit 0 .*default 10m/);
});

test("UX-5: people get aligned columns, each setting explained in one line as in the JSON Schema, which knows all", async () => {
  project = practice();
  const { stdout, stderr } = await project.ralph("config");
  const lines = stdout.trimEnd().split("\n");
  const settings = lines.filter((line) => !line.startsWith(" "));
  expect(new Set(settings.map((line) => /^\S+ +/.exec(line)?.[0].length)).size).toBe(1);
  expect(settings).toContainEqual(expect.stringMatching(/^strategy +"adaptive" +default$/));
  expect(lines.filter((line) => /^ {2}\S.{15,}/.test(line))).toHaveLength(settings.length);
  expect(stderr).toBe("");
  const explained = /^limits\.stuckAfter .*\n {2}(\S.*)$/m.exec(stdout)?.[1];
  expect(explained).toMatch(/failures after which a task is stuck/);
  const rows = (await project.json("config")) as (Shown & { readonly description: string })[];
  expect(rows.find(({ key }) => key === "limits.stuckAfter")?.description).toBe(explained);
  const schemaText = (await project.ralph("config", "schema")).stdout;
  expect(schemaText).toContain(`${explained}`);
  const schema: unknown = JSON.parse(schemaText);
  // A group with a short form, such as \`workers: 4\`, is one of two.
  const groupOf = (place: unknown): unknown =>
    isObject(place) && Array.isArray(place["anyOf"])
      ? place["anyOf"].find((one) => isObject(one) && isObject(one["properties"]))
      : place;
  const at = (place: unknown, name: string): unknown => {
    const group = groupOf(place);
    return isObject(group) && isObject(group["properties"]) ? group["properties"][name] : undefined;
  };
  expect(rows.length).toBeGreaterThan(40);
  for (const { key } of rows) expect([key, key.split(".").reduce(at, schema)]).not.toEqual([key, undefined]);
});

test("UX-5: an unknown RALPH_* variable is reported with the one that was meant", async () => {
  project = practice();
  const inside = { RALPH_RUN_ID: "run-1", RALPH_TASK_ID: "t-1", RALPH_MARKER: "m", RALPH_NO_PROGRESS: "1" };
  const typos = { RALPH_MAX_ATEMPTS: "2", RALPH_HOME: "/x", RALPH_MAX_DURATION: "1h" };
  const env = { ...project.env, ...inside, ...typos };
  const { code, stderr } = await runRalph(["config", "show", "--json"], { dir: project.dir, env });
  expect([code, stderr]).toEqual([
    0,
    `warning: unknown environment variable RALPH_MAX_ATEMPTS: did you mean RALPH_MAX_ATTEMPTS?
warning: unknown environment variable RALPH_HOME: no setting has this name
`,
  ]);
});

test("UX-4: an unknown action is refused with those that exist", async () => {
  project = practice();
  const { code, stderr } = await project.ralph("config", "list");
  expect(code).toBe(2);
  expect(stderr).toBe('error: invalid action "list": expected show, schema\nhint: use one of show, schema\n');
});
