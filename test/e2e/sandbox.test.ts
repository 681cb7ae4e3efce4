import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canSandbox } from "../can-sandbox.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type Practice, practice, type RunEvent, ralphBin } from "./practice.ts";

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((socket) => void socket.on("error", () => undefined).end("hello"));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  port = (server.address() as { port: number }).port;
});
afterAll(() => void server.close());

const planted = `ralph-planted-${process.pid}`;
let project: Practice | undefined;
afterEach(() => {
  project?.remove();
  rmSync(join("/tmp", planted), { force: true });
});

/** Each move of an agent that attacks its user's files, as a command that succeeds when the move does. */
const moves = {
  "read a private key": "cat $HOME/.ssh/id_test",
  "read the state of another agent": "cat $HOME/.codex/auth.json",
  "read ralph's approvals": "cat $XDG_STATE_HOME/ralph/approvals.json",
  "write to ralph's state": "echo x > $XDG_STATE_HOME/ralph/planted",
  "write git's configuration": "echo '[core]' >> $HOME/.gitconfig",
  "replace git's configuration": "echo '[core]' > $HOME/new && mv $HOME/new $HOME/.gitconfig",
  "write its own settings": "echo '{}' > $HOME/.claude/settings.json",
  "see the files beside the project": "test -e ../beside.txt",
  "use the agent of SSH": 'test -n "$SSH_AUTH_SOCK"',
} as const;

/** Moves against the machine, tried only inside a sandbox. */
const systemMoves = {
  "write into the system": "echo x > /usr/lib/ralph-planted",
  "read a file of the system's users": "cat /etc/shadow | grep -q :",
  "change a setting of the kernel":
    "cat /proc/sys/kernel/core_pattern > /tmp/p && cat /tmp/p > /proc/sys/kernel/core_pattern",
  "read the environment around it": "cat /proc/1/environ",
  "enter the file system around it": "ls /proc/1/root/home",
  "trace the process around it": "dd if=/proc/1/mem bs=1 count=0 && : < /proc/1/mem",
  "kill the process around it": "kill -9 1 && sleep 0.1 && ! kill -0 1",
  "mount over the sandbox": "mount -t tmpfs none /mnt || mount -o remount,rw /usr",
  "unhide in a namespace of its own":
    "unshare -Urm sh -c 'umount $HOME; mount -o remount,rw /usr && touch /usr/x; test -e $HOME/.ssh'",
} as const;

const connect = `node -e 'require("net").connect(PORT, "127.0.0.1", () => process.exit(0)).on("error", () => process.exit(1))'`;

/** Actions that an agent must still be able to do. */
const work = {
  "write the project": "echo hi > out.txt",
  "use its temporary folder": 'echo x > "$TMPDIR/x"',
  "use /tmp": "echo x > /tmp/$NAME",
  "write beside the project": "mkdir -p .. && echo x > ../outside.txt || true",
  "keep its own login": 'grep -q mine "$HOME/.claude/login.json" && echo new > $HOME/.claude/session.json',
  "read a path that is allowed":
    "grep -q allowed $HOME/tools/readable.txt && ! echo x > $HOME/tools/readable.txt",
  "write a path that is allowed": "echo written > $HOME/cache/written.txt",
  "store a lesson": `${process.execPath} ${ralphBin} memory store 'The greeting ends with a dot.'`,
  "claim the task": `${process.execPath} ${ralphBin} task done t-1`,
  commit:
    "git add out.txt && git commit -q -m 'write the greeting' && git log -1 --format=%an | grep -q Person",
} as const;

const attempts = (tries: Readonly<Record<string, string>>): string =>
  Object.entries(tries)
    .map(
      ([name, command]) =>
        `if (${command.replace("PORT", String(port))}) >/dev/null 2>&1; then echo "ok ${name}"; else echo "no ${name}"; fi >> report.txt`,
    )
    .join("\n");

/** A project whose agent tries everything; its user has keys, settings and logins. */
async function attacked(sandbox: string): Promise<Practice> {
  const made = practice(
    { "README.md": "# practice\n", ".gitignore": "report.txt\n" },
    { SSH_AUTH_SOCK: "/tmp/none" },
  );
  project = made;
  made.git("config", "--unset", "user.name");
  made.git("config", "--unset", "user.email");
  const files = {
    ".ssh/id_test": "key",
    ".codex/auth.json": "{}",
    ".claude/login.json": "mine",
    ".claude/settings.json": "{ }",
    ".gitconfig": "[user]\n  name = Person\n  email = person@example.invalid\n",
    "tools/readable.txt": "allowed",
    "cache/empty.txt": "",
    "../beside.txt": "",
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made.home, file)), { recursive: true });
    writeFileSync(join(made.home, file), content);
  }
  const script = [
    "cat > /dev/null",
    `NAME=${planted}`,
    attempts({ ...moves, "reach the network": connect }),
    attempts(sandbox.includes("strict") ? systemMoves : {}),
    attempts(work),
    'echo "<task-done>t-1</task-done>"',
    'echo "<learning>A lesson in a sigil is kept, because the run records it.</learning>"',
  ].join("\n");
  // Its name says whose login it has.
  writeFileSync(join(made.home, "../claude"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const verify =
    'verify: ["test -e out.txt && if test -e ~/.ssh; then echo outside; else echo inside; fi > ../project/checked.txt"]';
  made.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: [../claude] } }\nverifyBaseline: off\n${verify}\nsandbox: ${sandbox}\n`,
  );
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "configure ralph");
  await made.approveConfig();
  await made.addTasks(["Write out.txt"]);
  return made;
}

const report = (made: Practice, answer: "ok" | "no"): readonly string[] =>
  made
    .read("report.txt")
    .split("\n")
    .flatMap((line) => (line.startsWith(`${answer} `) ? [line.slice(3)] : []));

const started = (events: readonly RunEvent[]): RunEvent | undefined =>
  events.find(({ type }) => type === "run.started");

describe.skipIf(!canSandbox)("sandbox: strict", () => {
  test("AGENT-4: shows the agent its project and its own state, and none of its moves succeeds", async () => {
    const made = await attacked("{ level: strict, network: off, read: ~/tools, write: [~/cache] }");
    const { code, events, stderr } = await made.run("--once");
    expect(stderr).toBe("");
    expect(report(made, "ok")).toEqual(Object.keys(work));
    expect(code).toBe(0);
    expect(started(events)?.["isolation"]).toBe("strict (bubblewrap; network off)");
    expect(events.find(({ type }) => type === "iteration.finished")).toMatchObject({ outcome: "done" });
    // Its files there vanish with the sandbox.
    for (const path of [join(made.home, "../outside.txt"), join("/tmp", planted)])
      expect(existsSync(path)).toBe(false);
    expect(readFileSync(join(made.home, ".gitconfig"), "utf8")).not.toContain("core");
    expect(readFileSync(join(made.home, ".claude/session.json"), "utf8")).toBe("new\n");
    expect(readFileSync(join(made.home, "cache/written.txt"), "utf8")).toBe("written\n");
    expect(made.read("checked.txt")).toBe("inside\n");
    expect(made.commits()).toContain("write the greeting");
    // One by the final message, one by a command that the run executed.
    const lessons = (await made.json("memory", "list")) as { lesson: string }[];
    expect(lessons.map(({ lesson }) => lesson)).toEqual([
      "A lesson in a sigil is kept, because the run records it.",
      "The greeting ends with a dot.",
    ]);
  });

  test("AGENT-4: with no sandbox the same moves succeed, so they are real", async (context) => {
    onlyInLongForm(context);
    const made = await attacked('"off"');
    const { events } = await made.run("--once");
    expect(started(events)?.["isolation"]).toBe("off");
    expect(report(made, "ok")).toEqual(expect.arrayContaining([...Object.keys(moves), "reach the network"]));
  });
});

test("AGENT-4: `strict` is refused where no sandbox can be made, and doctor says why", async () => {
  const made = practice();
  project = made;
  await made.useWorker({}, 'sandbox: strict\nverify: ["test -d ."]\n');
  await made.addTasks(["one"]);
  // A namespace in which no other one can be made, on a machine that could make one.
  const without = (...args: string[]): string => {
    const words = [process.execPath, ralphBin, ...args].map((word) => `'${word}'`).join(" ");
    const script = `echo 0 > /proc/sys/user/max_user_namespaces || exit 99; ${words}`;
    const argv = canSandbox ? ["unshare", "-Ur", "sh", "-c", script] : [process.execPath, ralphBin, ...args];
    const [program = "", ...rest] = argv;
    const { stdout, stderr, status } = spawnSync(program, rest, {
      cwd: made.dir,
      env: made.env,
      encoding: "utf8",
    });
    return `${status}\n${stdout}${stderr}`;
  };
  const ran = without("run", "--once");
  expect(ran).toMatch(/^5\n/);
  expect(ran).toMatch(/`sandbox: strict` is set, but /);
  expect(ran).toMatch(/hint: On Linux, install /);
  expect(existsSync(join(made.dir, ".ralph/logs"))).toBe(false);
  expect(without("doctor")).toMatch(/✗ isolation +`sandbox: strict` is set, but /);
});

test.skipIf(!canSandbox)(
  "UX-1: doctor shows the sandbox in force, and what a session adds to it",
  async () => {
    // As nobody but root can enter what `su` leaves in PATH of root's home, nobody can enter this.
    const closed = join("/tmp", planted);
    symlinkSync(closed, closed);
    const made = practice(undefined, { PATH: `${process.env["PATH"]}:${closed}` });
    project = made;
    await made.useWorker({}, 'sandbox: { level: strict, network: agent }\nverify: ["test -d ."]\n');
    const { stdout } = await made.ralph("doctor");
    expect(stdout).toMatch(/✓ isolation +strict \(bubblewrap; network for agents only\): agents see /);
    expect(stdout).toMatch(/✓ verification +`test -d \.` passed/);
  },
);

test("AGENT-4: `prefix` starts the agent's command in whatever it names, and kills what that leaves", async () => {
  const made = practice();
  project = made;
  const around =
    '#!/bin/sh\necho "$*" > around.txt\nwhile [ "$1" != -- ]; do shift; done; shift\nsetsid sleep 300 &\n"$@"\n';
  writeFileSync(join(made.home, "container"), around, { mode: 0o755 });
  const prefix = '["../home/container", "--dir={cwd}", "{env}", --]';
  await made.useWorker(
    { "t-1": [{ write: { "out.txt": "hi" } }] },
    `sandbox: { prefix: ${prefix} }\nverify: ["test -e out.txt"]\n`,
  );
  await made.addTasks(["Write out.txt"]);
  const { code, events } = await made.run("--once");
  expect(code).toBe(0);
  expect(started(events)?.["isolation"]).toBe("in ../home/container");
  expect(events.find(({ type }) => type === "agent.finished")).toMatchObject({ survivorsKilled: 1 });
  const words = made.read("around.txt");
  expect(words).toContain(`--dir=${made.dir} --env=RALPH_TASK_ID `);
  expect(words.trim()).toMatch(/ --env=RALPH_MARKER -- sh \.\.\/worker\.sh$/);
});

test("AGENT-4: in a container with another home, the run executes what its agent asks for", async () => {
  const made = practice();
  project = made;
  const home = join(made.home, "elsewhere");
  const ralph = (...args: string[]): string =>
    [process.execPath, ralphBin, ...args].map((word) => `'${word}'`).join(" ");
  const asks = [
    ...[ralph("note", "add", "a tip"), ralph("task", "add", "one more")],
    ...[
      ralph("memory", "store", "The greeting ends with a dot, or nothing works."),
      ralph("task", "done", "t-1"),
    ],
  ];
  const run = asks.map((ask) => ["sh", "-c", `${ask} >> asked.txt 2>&1; echo "code $?" >> asked.txt`]);
  await made.useWorker(
    { "t-1": [{ write: { "out.txt": "hi" }, run, say: "Written." }] },
    `sandbox: { prefix: [env, "HOME=${home}", "XDG_STATE_HOME=${home}/state"] }\nverify: ["test -e out.txt"]\n`,
  );
  await made.addTasks(["Write out.txt"]);
  const { code, events } = await made.run("--once");
  const asked = made.read("asked.txt");
  expect(asked.match(/^code \d+/gm)).toEqual(["code 0", "code 0", "code 0", "code 0"]);
  // The task that it added.
  expect(code).toBe(3);
  expect(events.find(({ type }) => type === "iteration.finished")).toMatchObject({
    outcome: "done",
    warnings: [],
  });
});
