import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { giveTo, type ViewWay, viewWays } from "../view-ways.ts";
import { duringIteration, jsonLines, type Practice, practice, ralphBin } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const attach = (pid: string): string =>
  `perl -e 'exit(syscall(${process.arch === "x64" ? 101 : 117}, 16, ${pid}, 0, 0) < 0)'`;
const other = ".ralph/tmp/i-other";

/** Each attempt to get past the view, as a command that succeeds when the attempt does. */
const escapes = {
  "write to the store": "echo x >> .ralph/progress.db",
  "truncate the store": ": > .ralph/progress.db",
  "rename the store": "mv .ralph/progress.db .ralph/other.db",
  "rename ralph's folder": "mv .ralph old",
  "put a file into ralph's folder": "echo x > .ralph/planted || echo x > .ralph/tmp/planted",
  "change the configuration": "echo 'sandbox: off' >> .ralph/config.yaml",
  "delete ralph's folder": "rm -rf .ralph; ! test -e .ralph/progress.db || ! test -e .ralph/config.yaml",
  "link the store to a writable place": "ln .ralph/progress.db stolen.db",
  "mount it writable":
    "mount -o remount,rw,bind .ralph || mount -o remount,rw .ralph || umount .ralph || mount -t tmpfs x .ralph",
  "mount it writable in a namespace of its own":
    "unshare -Urm sh -c 'mount -o remount,rw,bind .ralph || umount .ralph/tmp || umount .ralph || echo x > .ralph/planted'",
  "uncover hidden folders in a namespace of its own":
    "unshare -Urm sh -c 'umount $XDG_STATE_HOME/ralph || umount -l .git/hooks'",
  "enter the file system around it": "echo x > /proc/1/root$PWD/.ralph/planted || ls /proc/1/root/proc/1",
  "see a process of ralph": "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep 'ralph[.]js run --once'",
  "trace the process around it": `${attach("1")} || : < /proc/1/mem`,
  "use a folder that was left open": 'for f in /proc/self/fd/*; do test -d "$f" && exit 0; done; exit 1',
  "connect to the socket of another iteration": `node -e 'require("net").connect("${other}/s", () => process.exit(0)).on("error", () => process.exit(1))'`,
  "see the folder of another iteration": `test -e ${other}`,
  "rename the project": "mv ../project ../old",
  "rename the folder around the project": "mv ../../$(basename $(dirname $PWD)) ../../old-$$",
  "rename the git folder": "mv .git old.git",
  "rename the folder of hooks": "mv .git/hooks .git/old || rm -r .git/hooks",
  "read ralph's state": "ls -A $XDG_STATE_HOME/ralph | grep -v ^project-",
  "write ralph's state": "echo x > $XDG_STATE_HOME/ralph/approvals.json",
  "replace ralph's state": "mv $XDG_STATE_HOME $XDG_STATE_HOME-old || mv $HOME $HOME-old",
  "write ralph's configuration": "echo 'sandbox: off' > $XDG_CONFIG_HOME/ralph/config.yaml",
  "find ralph's data": "ls -A $HOME/.local/share/ralph | grep -q .",
} as const;

/** Actions that an agent and its tests must still be able to do. */
const work = {
  "write the project": "echo hi > out.txt",
  "use its temporary folder": 'echo x > "$TMPDIR/x" && test -e "$TMPDIR/x"',
  "write its journal": 'echo "The greeting has a dot." >> "$RALPH_JOURNAL"',
  "read what ralph keeps": "test -s .ralph/progress.db && grep -q argv .ralph/config.yaml",
  "write its user's files":
    "echo x > $HOME/own.txt && echo x > ../beside.txt && echo x > /tmp/ralph-view-$$ && rm /tmp/ralph-view-$$",
  commit: "git add out.txt && git commit -q -m 'write the greeting' && test -e hooked.txt",
  "switch to another branch and back":
    "git checkout -q -b topic && echo t > t.txt && git add t.txt && git commit -q -m topic && git checkout -q main && ! test -e t.txt && git branch -q -D topic",
  "stash and clean":
    "echo s > s.txt && git stash -q -u && ! test -e s.txt && git stash pop -q && git clean -fdxq s.txt && ! test -e s.txt",
  "install packages":
    "npm install --offline --no-audit --no-fund --loglevel=error ./dep && test -e node_modules/dep/made.txt",
  "install a hook":
    "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-push && chmod +x .git/hooks/pre-push && test -x .git/hooks/pre-push",
  "make a sandbox of its own": "unshare -Ur true",
} as const;

const attempts = (tries: Readonly<Record<string, string>>): string =>
  Object.entries(tries)
    .map(
      ([name, command]) =>
        `if (${command}) >>../output.txt 2>&1; then echo "ok ${name}"; else echo "no ${name}"; fi >> report.txt`,
    )
    .join("\n");

const dep = JSON.stringify({ name: "dep", version: "1.0.0", scripts: { install: "echo made > made.txt" } });
const hook =
  "#!/bin/sh\necho hooked > hooked.txt\nif echo x > .ralph/planted; then echo bad >> hooked.txt; fi 2>/dev/null\n";

async function prepare(sandbox: string): Promise<Practice> {
  const made = practice({
    "README.md": "# practice\n",
    ".gitignore": "report.txt\nhooked.txt\nnode_modules\nverified.txt\nbeside.txt\n",
    "dep/package.json": dep,
    "package.json": JSON.stringify({ name: "practice", private: true }),
  });
  project = made;
  // Git asks for it where root works in another user's project.
  writeFileSync(join(made.home, "config/git/config"), "[safe]\n  directory = *\n");
  const script = [
    "cat > /dev/null",
    "touch ../at-work; until [ -e ../go-on ]; do sleep 0.05; done",
    attempts(work),
    attempts(escapes),
    "echo '<task-done>t-1</task-done>'",
  ].join("\n");
  writeFileSync(join(made.dir, "../worker.sh"), script);
  const verified =
    "test -e out.txt && ! echo x > .ralph/planted && echo x > $TMPDIR/x && (ls -A $XDG_STATE_HOME/ralph; echo seen) > verified.txt";
  made.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: [sh, ../worker.sh] } }\nverifyBaseline: off\nverify: [${JSON.stringify(verified)}]\nsandbox: ${sandbox}\n`,
  );
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "configure ralph");
  mkdirSync(join(made.dir, ".git/hooks"), { recursive: true });
  writeFileSync(join(made.dir, ".git/hooks/pre-commit"), hook, { mode: 0o755 });
  await made.approveConfig();
  await made.addTasks(["Write out.txt"]);
  return made;
}

const rank = ({ name }: ViewWay): number =>
  ["root", "a user without bubblewrap", "root, in another user's project"].indexOf(name) >>> 0;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(made: Practice, { words }: Pick<ViewWay, "words">, args: readonly string[]): Promise<Ended> {
  const [program = "", ...rest] = [...words, process.execPath, ralphBin, ...args];
  const child = spawn(program, rest, { cwd: made.dir, env: made.env, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      texts[name] += chunk.toString();
    });
  return new Promise((done) => child.once("close", (code) => done({ code, ...texts })));
}

/** Serves the socket of another iteration until `act` has ended; proves that it can be reached from outside. */
async function withSocket(made: Practice, way: ViewWay, act: () => Promise<void>): Promise<void> {
  const path = join(made.dir, other, "s");
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer((socket) => void socket.on("error", () => undefined).end());
  await new Promise<void>((ready) => server.listen(path, ready));
  giveTo(way, dirname(dirname(path)));
  await new Promise<void>((reached, failed) => connect(path, reached).on("error", failed));
  try {
    await act();
  } finally {
    server.close();
  }
}

/** The default suite takes each way to make a view once, and another user's project. */
const ways = viewWays(ralphBin).toSorted((a, b) => rank(a) - rank(b));

describe.each(variants(ways, 3))("$name", (way) => {
  test("TRUST-10: no attempt to leave the view succeeds, and work goes on in it", async () => {
    const made = await prepare("required");
    giveTo(way, dirname(made.dir));
    const before = statSync(join(made.dir, ".ralph/progress.db")).ino;
    const running = start(made, way, ["run", "--once", "--json"]);
    await withSocket(made, way, async () => {
      await Promise.race([duringIteration(made, async () => undefined), running]);
      await running;
    });
    const { code, stdout, stderr } = await running;
    const report = (answer: string): readonly string[] =>
      made
        .read("report.txt")
        .split("\n")
        .flatMap((line) => (line.startsWith(`${answer} `) ? [line.slice(3)] : []));
    expect(stderr).toBe("");
    expect(report("no")).toEqual(Object.keys(escapes));
    expect(report("ok")).toEqual(Object.keys(work));
    const events = jsonLines(stdout);
    expect(events.find(({ type }) => type === "run.started")?.["isolation"]).toBe(way.level);
    expect(events.find(({ type }) => type === "iteration.finished")).toMatchObject({ outcome: "done" });
    expect(code).toBe(0);
    expect(statSync(join(made.dir, ".ralph/progress.db")).ino).toBe(before);
    expect(existsSync(join(made.dir, ".ralph/planted"))).toBe(false);
    // Of the verification, which saw an empty state folder; and of the hook in ralph's own commit.
    expect(made.read("verified.txt")).toBe("seen\n");
    expect(made.read("hooked.txt")).toBe("hooked\n");
    const hooks = readdirSync(join(made.dir, ".git/hooks")).filter((name) => !name.endsWith(".sample"));
    expect(hooks).toEqual(["pre-commit"]);
    expect(readFileSync(join(made.dir, ".git/hooks/pre-commit"), "utf8")).toBe(hook);
    expect(existsSync(join(made.home, "config/ralph/config.yaml"))).toBe(false);
  });
});
