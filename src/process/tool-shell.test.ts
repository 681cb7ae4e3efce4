import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fake, fakeEnv } from "../../test/fakes/fake.ts";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { childrenOf } from "./process-table.ts";
import { startToolShell } from "./tool-shell.ts";

const options = { cwd: "/", env: fakeEnv, timeoutMs: 20_000 };
const ask = ["sh", "-c", "echo $PPID"] as const;
/** The pid of a shell that starts tools, by a tool's parent. */
async function pidOf(shell: ReturnType<typeof startToolShell>): Promise<number> {
  const pid = Number((await shell.run([...ask], options)).stdout);
  expect(pid).not.toBe(process.pid);
  return pid;
}

test.concurrent("gives exit code, output and input", async () => {
  const shell = startToolShell(fakeEnv);
  await pidOf(shell);
  const result = await shell.run(["sh", "-c", "cat; echo oops >&2; exit 3"], { ...options, stdin: "in" });
  expect(result).toEqual({
    exitCode: 3,
    stdout: "in",
    stderr: "oops\n",
    spawnError: null,
    timedOut: false,
    overflowed: false,
    signal: null,
  });
  expect(await shell.run(["sh", "-c", "cat; kill -INT $$"], options)).toMatchObject({
    exitCode: null,
    signal: "SIGINT",
    stdout: "",
  });
});

test.concurrent("passes arguments, variables and the folder as they are", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "ralph it's\n- "));
  const shell = startToolShell({ ...fakeEnv, GOES: "early" });
  const letters = Array.from({ length: 0x2000 }, (_, at) => String.fromCodePoint(at + 1)).join("");
  const words = ["", "'", "\\'", "$(exit 9)", "`exit 9`", "a\nb\n", "*", "~", '"', letters, "😀\u0081"];
  const show = "process.stdout.write(JSON.stringify([process.argv.slice(1), process.env, process.cwd()]))";
  const env = { ...fakeEnv, GOES: "late $HOME", MORE: "'x'\n" };
  const { stdout, stderr } = await shell.run([process.execPath, "-e", show, "--", ...words], {
    ...options,
    env,
    cwd,
  });
  expect(stderr).toBe("");
  const [argv, seen, folder] = JSON.parse(stdout) as [string[], Record<string, string>, string];
  expect(argv).toEqual(words);
  expect(seen).toMatchObject({ GOES: "late $HOME", MORE: "'x'\n" });
  expect(folder).toBe(cwd);
  rmSync(cwd, { recursive: true });
});

test.concurrent("what the shell cannot do is done without it", async () => {
  const shell = startToolShell({ ...fakeEnv, EXTRA: "1" });
  const env = { ...fakeEnv, EXTRA: "1" };
  // A variable would have to go; a second tool runs; the argument is too long for the shell's line.
  expect((await shell.run(["sh", "-c", "echo $EXTRA"], options)).stdout).toBe("\n");
  const both = await Promise.all([1, 2].map(() => shell.run([...ask], { ...options, env })));
  expect(both.map(({ stdout }) => Number(stdout) === process.pid)).toEqual([false, true]);
  const long = await shell.run(["sh", "-c", "echo $#", "x".repeat(120_000), "y"], { ...options, env });
  expect(long.stdout).toBe("1\n");
  expect(await shell.run(["no-such-tool"], { ...options, env })).toMatchObject({
    // EACCES where a folder of PATH may not be entered.
    spawnError: expect.stringMatching(/ENOENT|EACCES/),
  });
});

test.concurrent("LOOP-11: a tool that is too slow, deaf or too loud is ended, and the next one runs", async () => {
  const shell = startToolShell(fakeEnv);
  const pid = await pidOf(shell);
  expect(await shell.run(fake("hang"), { ...options, timeoutMs: 300 })).toMatchObject({
    exitCode: null,
    signal: "SIGTERM",
    timedOut: true,
  });
  const deaf = ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"] as const;
  expect(await shell.run([...deaf], { ...options, timeoutMs: scaledLimit(300) })).toMatchObject({
    timedOut: true,
    signal: "SIGKILL",
  });
  const loud = await shell.run(["sh", "-c", "exec cat /dev/zero"], options);
  expect(loud).toMatchObject({ overflowed: true, timedOut: false, exitCode: null });
  expect(loud.stdout.length).toBe(64 * 1024 * 1024);
  expect(await pidOf(shell)).toBe(pid);
});

test.concurrent("a shell that is killed or stopped harms one tool at most", async () => {
  const killed = startToolShell(fakeEnv);
  const pid = await pidOf(killed);
  const running = killed.run(["sleep", "3"], options);
  await sleep(300);
  process.kill(pid, "SIGKILL");
  expect(await running).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  expect((await killed.run(["echo", "again"], options)).stdout).toBe("again\n");

  const stopped = startToolShell(fakeEnv);
  process.kill(await pidOf(stopped), "SIGSTOP");
  expect(await stopped.run(["true"], { ...options, timeoutMs: 200 })).toMatchObject({ timedOut: true });
  expect((await stopped.run(["echo", "again"], options)).stdout).toBe("again\n");
});

test.concurrent("Ctrl-C ends the tool and not the shell", async () => {
  const shell = startToolShell(fakeEnv);
  const pid = await pidOf(shell);
  const running = shell.run(["sleep", "20"], options);
  await sleep(300);
  for (const one of [...childrenOf(pid), pid]) process.kill(one, "SIGINT");
  expect(await running).toMatchObject({ signal: "SIGINT", exitCode: null });
  expect(await pidOf(shell)).toBe(pid);
});

test.concurrent("what a tool leaves running cannot write into the output or the status of the next one", async () => {
  const shell = startToolShell(fakeEnv);
  const pid = await pidOf(shell);
  const forged = `(for n in $(seq 200); do echo forged; echo "x 0" > /proc/${pid}/fd/3; sleep 0.01; done) & exit 0`;
  const started = performance.now();
  expect(await shell.run(["sh", "-c", forged], options)).toMatchObject({ exitCode: 0 });
  const next = await shell.run(["sh", "-c", "sleep 0.3; exit 7"], options);
  expect(next).toMatchObject({ exitCode: 7, stdout: "", stderr: "" });
  expect(performance.now() - started).toBeLessThan(scaledLimit(1900));
});

test.concurrent("the shell ends on demand, after its tool; the next tool runs without it", async () => {
  const shell = startToolShell(fakeEnv);
  const pid = await pidOf(shell);
  const last = shell.run(["sh", "-c", "sleep 0.2; echo last"], options);
  shell.end();
  expect(await last).toMatchObject({ exitCode: 0, stdout: "last\n" });
  for (let tries = 0; isRunning(pid) && tries < 50; tries++) await sleep(100);
  expect(isRunning(pid)).toBe(false);
  expect(await shell.run([...ask], options)).toMatchObject({ exitCode: 0, stdout: `${process.pid}\n` });
});

test.concurrent("the shell ends with the process that started it", async () => {
  const script = `import { startToolShell } from ${JSON.stringify(join(import.meta.dirname, "tool-shell.ts"))};
    const shell = startToolShell(process.env);
    const { stdout } = await shell.run(["sh", "-c", "echo $PPID"], { cwd: "/", env: process.env, timeoutMs: 9000 });
    console.log(stdout, process.pid);
    if (process.argv[2]) process.kill(process.pid, "SIGKILL");`;
  for (const how of ["", "killed"]) {
    const words = ["--input-type=module", "--import", "tsx", "-e", script, "--", how];
    const run = await startToolShell(fakeEnv).run([process.execPath, ...words], {
      ...options,
      cwd: join(import.meta.dirname, "../.."),
    });
    const [pid, parent] = run.stdout.trim().split(/\s+/).map(Number);
    expect(pid, run.stderr).toBeGreaterThan(0);
    expect(pid).not.toBe(parent);
    for (let tries = 0; isRunning(pid ?? 0) && tries < 50; tries++) await sleep(100);
    expect(isRunning(pid ?? 0)).toBe(false);
  }
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.concurrent("LOOP-10: a tool ends with the process that waits for it", async () => {
  const module = join(import.meta.dirname, "tool-shell.ts");
  const program = `import { startToolShell } from ${JSON.stringify(module)};
const env = { PATH: process.env.PATH };
const shell = startToolShell(env);
void shell.run(["sleep", "60.125"], { cwd: "/", env, timeoutMs: 60_000 });
setTimeout(() => process.exit(0), 300);`;
  const ran = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  const left = spawnSync("pgrep", ["-f", "sleep 60[.]125"], { encoding: "utf8" });
  expect(left.stdout).toBe("");
});
