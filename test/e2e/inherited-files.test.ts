import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { canSandbox } from "../can-sandbox.ts";
import { onlyInLongForm, variants } from "../test-size.ts";
import { type Practice, practice, ralphStart } from "./practice.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).toReversed()) clean();
});

/** What leads out of the sandbox where a program inherits it, under the numbers by which a shell could have opened it. */
async function openFiles(made: Practice): Promise<ReadonlyMap<number, number>> {
  const open = (path: string, flags: number | string): number => {
    const fd = openSync(path, flags);
    cleanups.push(() => closeSync(fd));
    return fd;
  };
  const home = (): number => open(made.home, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  spawnSync("sh", ["-c", 'mkfifo "$0"', join(made.home, "pipe")]);
  const files = [
    ...[3, 10, 16, 30, 200].map((number) => [number, home()] as const),
    [31, open(join(made.home, ".key"), "r+")] as const,
    [40, open(join(made.home, "pipe"), "r+")] as const,
    [41, await openSocket(join(made.home, "socket"))] as const,
    [1000, home()] as const,
  ];
  return new Map(files);
}

/** Connects to a server of the test. */
async function openSocket(path: string): Promise<number> {
  const server: Server = createServer((one) => void one.on("error", () => undefined));
  await new Promise<void>((ready) => server.listen(path, ready));
  const socket = connect(path);
  await new Promise<void>((ready) => socket.once("connect", ready));
  cleanups.push(() => {
    socket.destroy();
    server.close();
  });
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** Names the file behind each descriptor that a program gets, and reads the key through those that lead to it. */
const look = "ls -l /proc/self/fd\ncat /proc/self/fd/*/.key /proc/self/fd/31 < /dev/null\nexit 0\n";
const work =
  'cat > /dev/null; sh look.sh > agent.txt; echo hi > out.md; echo "<task-done>$RALPH_TASK_ID</task-done>"\n';

async function lookingAround(level: string): Promise<Practice> {
  const made = practice({ ".gitignore": "*.txt\n", "look.sh": look, "work.sh": work });
  cleanups.push(made.remove);
  writeFileSync(join(made.home, ".key"), "the private key\n");
  const lines = [
    "agent: command\nagents: { command: { argv: [sh, work.sh] } }",
    `verifyBaseline: off\nverify: ["sh look.sh > checked.txt && test -e out.md"]\nsandbox: ${level}\n`,
  ];
  made.write(".ralph/config.yaml", lines.join("\n"));
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "configure ralph");
  await made.approveConfig();
  await made.addTasks(["Write out.md"]);
  return made;
}

/** Runs ralph with `files` as its descriptors, as `ralph run 30< FOLDER` does. */
async function run(
  made: Practice,
  files: ReadonlyMap<number, number>,
  before: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const stdio: SpawnOptions["stdio"] = ["ignore", "pipe", "pipe"];
  for (let number = 3; number <= Math.max(...files.keys()); number++)
    stdio[number] = files.get(number) ?? "ignore";
  const [program = "", ...args] = [...before, process.execPath, ...ralphStart, "run", "--once"];
  const child = spawn(program, args, { cwd: made.dir, env: made.env, stdio });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

/** The numbers above 2 and their files in a report, without the folder that `ls` itself reads. */
const filesIn = (made: Practice, report: string): readonly string[] =>
  [...made.read(report).matchAll(/ (\d+) -> (.*)$/gm)].flatMap(([, number, file]) =>
    Number(number) <= 2 || /^\/proc\/\d+\/fd$/.test(file ?? "") ? [] : [`${number} ${file}`],
  );

describe.skipIf(!canSandbox)("sandbox: strict, started with open files", () => {
  test("AGENT-4: neither an agent nor its verification inherits them", async () => {
    const made = await lookingAround("strict");
    const { code, output } = await run(made, await openFiles(made));
    expect(code, output).toBe(0);
    for (const report of ["agent.txt", "checked.txt"]) {
      expect(filesIn(made, report).filter((line) => !/^\d+ \/dev\/null$/.test(line))).toEqual([]);
      expect(made.read(report)).not.toContain("private");
    }
  });

  test("AGENT-4: without it an agent has them, so they are real", async (context) => {
    onlyInLongForm(context);
    const made = await lookingAround("auto");
    const { code, output } = await run(made, await openFiles(made));
    expect(code, output).toBe(0);
    const { home } = made;
    expect(filesIn(made, "agent.txt")).toEqual(
      expect.arrayContaining([
        ...[`30 ${home}`, `31 ${home}/.key`, `40 ${home}/pipe`, `200 ${home}`, `1000 ${home}`],
        expect.stringMatching(/^41 socket:/),
      ]),
    );
    expect(made.read("agent.txt")).toContain("private");
  });

  test.each(
    variants(
      [
        ["EINVAL", [300]],
        ["EMFILE", [298, 299]],
      ],
      1,
    ),
  )(
    "AGENT-4: an agent is not started where nothing can take the place of an open file: %s",
    async (code, numbers) => {
      const made = await lookingAround("strict");
      const limited = ["sh", "-c", 'ulimit -n 301 && exec "$@"', "sh"];
      const folder = (await openFiles(made)).get(30) ?? 0;
      const ran = await run(made, new Map(numbers.map((number) => [number, folder])), limited);
      expect(ran.output).toMatch(
        new RegExp(`${numbers.join(", ")}\\): spawn [\\w/ ]*${code}; start ralph without it`),
      );
      expect(ran.output).toContain("a file that was open where ralph was started");
      expect(ran.code).not.toBe(0);
    },
  );
});
