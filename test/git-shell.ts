import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Place {
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A shell that runs commands for this process: descriptors of what it reads, of its answers and of git's output. */
interface GitShell {
  readonly commands: number;
  readonly answers: number;
  readonly stdout: number;
  readonly stderr: number;
}

let shell: GitShell | undefined;

/**
 * Runs git to its end and returns its output; throws with its errors when it fails. A shell starts it: a fork of a process with
 * all modules of the tests takes longer than git itself. It stays in no project, where tests look for processes that were left.
 */
export function runGit(args: readonly string[], { cwd, env }: Place): string {
  shell ??= startShell();
  for (const file of [shell.stdout, shell.stderr]) ftruncateSync(file);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  const git = [...variables, "git", ...args.map(quote)].join(" ");
  writeSync(
    shell.commands,
    `cd -- ${quote(cwd)} && ${git} </dev/null >&4 2>&5 3>&- 4>&- 5>&-; code=$?; cd /; echo $code >&3\n`,
  );
  const status = answer(shell);
  if (status === "0") return content(shell.stdout);
  throw new Error(`git ${args.join(" ")}: exit code ${status}\n${content(shell.stderr)}`);
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Its descriptors have no names, so that nothing of it is left. It ends with this process, whose end closes its input. */
function startShell(): GitShell {
  const folder = mkdtempSync(join(tmpdir(), "ralph-git-shell-"));
  const [commands, answers] = [pipe(join(folder, "commands")), pipe(join(folder, "answers"))];
  const [stdout, stderr] = [output(join(folder, "stdout")), output(join(folder, "stderr"))];
  const stdio = [commands.end, "ignore", "ignore", answers.begin, stdout, stderr] as const;
  spawn("/bin/sh", { cwd: "/", env: {}, stdio: [...stdio] }).unref();
  for (const used of [commands.end, answers.begin]) closeSync(used);
  rmSync(folder, { recursive: true });
  return { commands: commands.begin, answers: answers.end, stdout, stderr };
}

/** The descriptors of a new pipe. */
function pipe(path: string): { readonly begin: number; readonly end: number } {
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
  // With both ends open, neither of the others waits.
  const both = openSync(path, "r+");
  const ends = { begin: openSync(path, "w"), end: openSync(path, "r") };
  closeSync(both);
  return ends;
}

const output = (path: string): number =>
  openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND);

/** Git's exit code. */
function answer({ answers }: GitShell): string {
  const bytes = Buffer.alloc(16);
  const length = readSync(answers, bytes);
  if (length > 0) return bytes.toString("latin1", 0, length).trim();
  shell = undefined;
  throw new Error("the shell that runs git ended");
}

function content(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size);
  let length = 0;
  while (length < bytes.length) length += readSync(file, bytes, length, bytes.length - length, length);
  return bytes.toString("utf8");
}
