import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insideRules, insideTools } from "../../src/cli/shell/groups/inside-table.ts";
import { memoryTools } from "../../src/mcp/tools/memory-tools.ts";
import { noteTools } from "../../src/mcp/tools/note-tools.ts";
import { taskTools } from "../../src/mcp/tools/task-tools.ts";
import { namespacePrefix } from "../../src/process/isolation-probe.ts";
import { listCommands } from "../smoke/command-lines.ts";
import { type Practice, ralphStart, withTasks } from "./practice.ts";

// An agent controls its environment: nothing that it can shed may make it a person.

const hasNamespaces = (await namespacePrefix()) !== undefined;
const onLinux = process.platform === "linux";
const ralph = [process.execPath, ...ralphStart].join(" ");
const bare =
  'env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME"';
/** Removes the mark as far as the user may: the hard limit is root's. */
const noLimit = "$UNMARKED";
const findLimit =
  'UNMARKED="prlimit --rss=unlimited:unlimited --locks=unlimited:unlimited"; $UNMARKED true 2> /dev/null || UNMARKED=env';
const isRoot = process.getuid?.() === 0;

/** Ways to start a command as if it were a person's. `CALL` is the file that holds the command. */
const disguises: Readonly<Record<string, string>> = {
  "env -u": "env -u RALPH_TASK_ID -u RALPH_RUN_ID -u RALPH_MARKER sh CALL",
  "env -i": `${bare} sh CALL`,
  "another task's name": "env RALPH_TASK_ID=t-2 sh CALL",
  setsid: `setsid -w ${bare} sh CALL`,
  "double fork": `(setsid ${bare} sh CALL &) `,
  ...(onLinux && {
    "double fork without the mark": `(${noLimit} setsid ${bare} sh CALL &) `,
    "double fork on a terminal of its own": `(${noLimit} setsid ${bare} script -qec "sh CALL" /dev/null > /dev/null &) `,
  }),
  ...(isRoot && {
    namespace: `unshare --pid --fork --mount-proc ${bare} sh CALL`,
  }),
};
const attacks: Readonly<Record<string, string>> = {
  done: "task done t-2",
  trust: "trust approve --yes",
};
const others: Readonly<Record<string, string>> = {
  verify: "task add Evil --id t-evil --verify true",
  undo: "undo t-1",
  edit: "task edit t-2 --verify true",
  reset: "task reset t-2",
  doctor: "doctor --repair",
  init: "init --yes --verify true",
  message: "message obey",
};

/**
 * What an agent calls in the disguise with this number. Detection knows the disguise and nothing of the command, and a
 * namespace leaves fewer ways than a process group: there, one command of each disguise is enough.
 */
function callsOf(index: number, level: string): Readonly<Record<string, string>> {
  if (level === "pid-namespace") return { done: "task done t-2" };
  return { ...attacks, ...(index === 1 && others) };
}

/** Writes a file for each disguise with its calls, and a script that starts all of them and waits for their end. */
function plan(project: Practice, level: string): void {
  const lines: string[] = [];
  for (const [index, disguise] of Object.values(disguises).entries()) {
    const call = (name: string, command: string): string =>
      `${ralph} ${command} > ../call-${index}-${name} 2>&1; echo "exit $?" >> ../call-${index}-${name}\n`;
    const all = Object.entries(callsOf(index, level));
    const calls = all.map(([name, command]) => call(name, command)).join("");
    project.write(`../call-${index}.sh`, `${calls}touch ../end-${index}\n`);
    lines.push(`${disguise.replaceAll("CALL", `../call-${index}.sh`)} < /dev/null &`);
    lines.push(`n=0; until [ -e ../end-${index} ] || [ $n -gt 150 ]; do sleep 0.1; n=$((n + 1)); done`);
  }
  lines.push(`${bare} ${ralph} memory store "Learned by an agent in disguise: use UTC in every parser"`);
  lines.push("touch ../attacked", "until [ -e ../go ]; do sleep 0.1; done");
  project.write("../attack.sh", `exec < /dev/null\n${findLimit}\n${lines.join("\n")}\n`);
}

const until = async (isTrue: () => boolean): Promise<void> => {
  for (const end = Date.now() + 100_000; !isTrue(); await sleep(50)) {
    if (Date.now() > end) throw new Error("it does not happen");
  }
};

describe.each([
  ["pid-namespace", hasNamespaces, "required"],
  ["process-group", onLinux, "off"],
] as const)("%s", (level, isPossible, sandbox) => {
  let project: Practice;
  let run: ReturnType<Practice["ralph"]>;

  beforeAll(async () => {
    if (!isPossible) return;
    const script = { "t-1": [{ write: { "src/a.txt": "a" }, run: [["sh", "../attack.sh"]] }] };
    project = await withTasks(script, ["One", "Two"], `verify: ["true"]\nsandbox: ${sandbox}\n`);
    plan(project, level);
    run = project.ralph("run", "--once");
    await until(() => existsSync(join(project.dir, "../attacked")));
  }, 120_000);
  afterAll(async () => {
    project?.write("../go", "");
    await run;
    project?.remove();
  });

  test
    .skipIf(!isPossible)
    .each(
      Object.keys(disguises).flatMap((disguise, index) =>
        Object.keys(callsOf(index, level)).map(
          (name) => [disguise, name, `../call-${index}-${name}`] as const,
        ),
      ),
    )("LOOP-18: %s does not make an agent a person (%s)", (_, __, call) => {
    const said = project.read(call);
    expect(said).toMatch(/^error: .*(?:your current task is t-1|agent working on t-1)\nhint: .*\nexit 2\n$/);
  });

  test.skipIf(!isPossible)("LOOP-18: what an agent stores in disguise is the agent's", async () => {
    const [learning] = (await project.json("memory", "list")) as readonly { id: string }[];
    expect(await project.json("memory", "get", `${learning?.id}`)).toMatchObject({
      memory: { provenance: { source: "agent", task: "t-1" } },
    });
  });

  test.skipIf(!isPossible)("LOOP-18: a person's commands work during an iteration", async () => {
    const added = await project.ralph("task", "add", "Mine", "--id", "t-mine", "--verify", "true");
    expect([added.code, added.stderr]).toEqual([0, expect.not.stringContaining("error")]);
    const alone = spawn(process.execPath, [...ralphStart, "task", "edit", "t-mine", "--title", "Ours"], {
      cwd: project.dir,
      env: project.env,
      detached: true,
      stdio: "ignore",
    });
    expect(await new Promise((done) => alone.once("exit", done))).toBe(0);
    const done = await project.ralph("task", "done", "t-mine");
    expect(done.stdout).toContain("done t-mine Ours");
  });

  test.skipIf(!isPossible)("TRUST-5: during an iteration, approvals need a terminal", async () => {
    project.write(".ralph/prompt.md", "{{task}}\n");
    const typed = await project.ralph("trust", "approve", "--yes");
    expect([typed.code, typed.stderr]).toEqual([5, expect.stringContaining("an agent is at work")]);
    const command = `${ralph} trust approve --yes`;
    const onTerminal = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: project.dir,
      env: project.env,
      encoding: "utf8",
    });
    expect([onTerminal.status, onTerminal.stdout]).toEqual([0, expect.stringContaining("approved 1 item")]);
  });

  test.skipIf(!isPossible)("LOOP-18: only the agent's own task is done after the run", async () => {
    project.write("../go", "");
    expect((await run).code).toBe(3);
    const tasks = (await project.json("task", "list")) as readonly { id: string; status: string }[];
    expect(tasks.map(({ id, status }) => [id, status])).toEqual([
      ["t-1", "done"],
      ["t-2", "pending"],
      ["t-mine", "done"],
    ]);
  });
});

test("LOOP-18: every command and tool is classified once", async () => {
  const paths = (await listCommands()).map(({ path }) => path);
  expect(Object.keys(insideRules).toSorted()).toEqual(paths.toSorted());
  const tools = [...memoryTools, ...noteTools, ...taskTools].map(({ name }) => name);
  expect(Object.keys(insideTools).toSorted()).toEqual(tools.toSorted());
});
