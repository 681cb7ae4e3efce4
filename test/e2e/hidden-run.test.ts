import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namespacePrefix } from "../../src/process/isolation-probe.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type Practice, ralphStart, withTasks } from "./practice.ts";

// An agent may write everything that shows that a run is active. It cannot raise its limits.

const hasNamespaces = (await namespacePrefix()) !== undefined;
const onLinux = process.platform === "linux";
const node = process.execPath;
const ralph = [node, ...ralphStart].join(" ");
const writeStore = join(import.meta.dirname, "../fakes/write-store.mjs");
const variables = ["PATH", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map((name) => `${name}="$${name}"`);
const bare = (state: string): string => `env -i ${variables.join(" ")} XDG_STATE_HOME="${state}"`;
const own = bare("$XDG_STATE_HOME");
const empty = bare("$BASE/empty");

/** Makes the run look dead: its iterations have ended, its lease is old. */
const hide = [
  `${node} ${writeStore} "UPDATE iterations SET ended_at='2001-01-01T00:00:00.000Z', end_kind='finished' WHERE ended_at IS NULL"`,
  `${node} ${writeStore} "UPDATE claims SET heartbeat_at='2001-01-01T00:00:00.000Z'"`,
  "touch -d '2 hours ago' .ralph/alive/*",
].join("\n");

const ways: Readonly<Record<string, string>> = {
  "an old lease": own,
  "an old lease, detached": `setsid -w ${own}`,
  "an empty state folder": empty,
  "a lower limit": `prlimit --rss=7:7 ${own}`,
  "another soft limit": `prlimit --rss=7: ${empty}`,
  "a namespace of its own": `unshare -Urfp --mount-proc ${empty}`,
  "another boot": `unshare -Urm sh -c 'mount --bind "$BASE/boot" /proc/sys/kernel/random/boot_id && exec "$@"' sh ${own}`,
};
const inProject: Readonly<Record<string, string>> = {
  done: "task done t-2",
  edit: "task edit t-2 --verify true",
  approve: "trust approve --yes",
};
const elsewhere: Readonly<Record<string, string>> = {
  store: 'memory store "Use the mirror" --collection hivemind',
  connect: "connect claude --yes",
};
/** One call in each way, as the decision does not look at the command; all of them in the first. */
const attempts: readonly (readonly [way: string, call: string, line: string])[] = [
  ...Object.entries(ways).flatMap(([way, prefix], at) =>
    Object.entries(inProject)
      .slice(0, at === 0 ? undefined : 1)
      .map(([name, command]) => [way, name, `${prefix} ${ralph} ${command}`] as const),
  ),
  ...Object.entries(elsewhere).map(
    ([name, command]) => ["no project", name, `cd "$BASE/empty" && ${empty} ${ralph} ${command}`] as const,
  ),
];

function attack(): string {
  const lines = attempts.map(
    ([, , line], at) => `${hide}\n(${line}) > "$BASE/said-${at}" 2>&1; echo "exit $?" >> "$BASE/said-${at}"`,
  );
  return `BASE=$(dirname "$PWD"); export BASE; exec < /dev/null\nmkdir "$BASE/empty"; echo 1-2-3 > "$BASE/boot"\n${lines.join("\n")}\n`;
}

describe.each([
  ["pid-namespace", hasNamespaces, "required"],
  ["process-group", onLinux, "off"],
] as const)("%s", (_level, isPossible, sandbox) => {
  let project: Practice;

  beforeAll(async () => {
    if (!isPossible) return;
    const script = { "t-1": [{ write: { "src/a.txt": "a" }, run: [["sh", "../attack.sh"]] }] };
    project = await withTasks(script, ["One", "Two"], `verify: ["true"]\nsandbox: ${sandbox}\n`);
    project.write("../attack.sh", attack());
    await project.ralph("run", "--once");
  }, 120_000);
  afterAll(() => project?.remove());

  test.skipIf(!isPossible).each(attempts.map(([way, call], at) => [way, call, at] as const))(
    "LOOP-18: %s does not make an agent a person (%s)",
    (_way, _call, at) => {
      const said = project.read(`../said-${at}`);
      expect(said).toMatch(/^error: .*\n(?:hint: .*\n)?exit [25]\n$/);
    },
  );

  test.skipIf(!isPossible)("LOOP-18: nothing but the agent's own task is done or changed", async () => {
    const tasks = (await project.json("task", "list")) as readonly { id: string; status: string }[];
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([
      ["t-1", "done"],
      ["t-2", "pending"],
    ]);
    expect(await project.json("task", "show", "t-2")).toMatchObject({ verification: [] });
  });
});

test.skipIf(!onLinux)("LOOP-18: code that `ralph verify` runs is not a person either", async (context) => {
  onlyInLongForm(context);
  const project = await withTasks({}, ["One", "Two"], 'verify: ["sh check.sh"]\n');
  project.write("check.sh", `${own} ${ralph} task done t-2 > ../said 2>&1; true\n`);
  project.git("commit", "-qam", "check");
  await project.ralph("verify");
  expect(project.read("../said")).toMatch(
    /^error: cannot mark t-2 as done: your current task is an unknown task/,
  );
  expect((await project.ralph("task", "done", "t-2")).stdout).toContain("done t-2 Two");
  project.remove();
});

test.skipIf(!onLinux)("LOOP-18 TRUST-4: code that `ralph verify` runs records nothing", async () => {
  const project = await withTasks({}, ["One"], 'verify: ["sh check.sh"]\n');
  const calls = [
    "note add planted --type tip",
    "memory store planted-lesson",
    "task add planted --allow-no-change",
  ];
  const lines = calls.map((call) => `${own} ${ralph} ${call} >> ../said 2>&1\n`);
  project.write("check.sh", `${lines.join("")}true\n`);
  project.git("commit", "-qam", "check");
  await project.ralph("verify");
  expect(project.read("../said").match(/^error: what ralph itself runs.* records nothing$/gm)).toHaveLength(
    3,
  );
  expect(await project.json("memory", "list")).toEqual([]);
  expect(await project.json("note", "list")).toMatchObject({ notes: [] });
  expect(await project.json("task", "list")).toMatchObject([{ id: "t-1" }]);
  project.remove();
});
