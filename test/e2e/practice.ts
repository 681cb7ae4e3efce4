import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type WorkerScript, workerScript } from "../fakes/worker-script.ts";
import { runGit } from "../git-shell.ts";
import { requireBuild } from "../require-build.ts";
import { removeFolder } from "../temp-repository.ts";
import { copyTemplate, template } from "../template.ts";
import { addTasks, approveConfig, type PracticeTask } from "./practice-setup.ts";
import { type Answer, isQuery, isShortCommand, query, queryRun } from "./query.ts";

const root = resolve(import.meta.dirname, "../..");
requireBuild(root);
export const ralphBin: string = join(root, "bin/ralph.js");

const codeCache = template(["code-cache"], (folder) =>
  copyFileSync(join(root, "test/code-cache.cjs"), join(folder, "code-cache.cjs")),
);
const nodeOptions = ["--require", join(codeCache, "code-cache.cjs")];
/** The arguments of Node that start ralph. */
export const ralphStart: readonly string[] = [...nodeOptions, ralphBin];

interface Ran extends Answer {
  readonly signal: string | null;
}

/** A git project in a folder of its own, with its own state and configuration homes. */
export interface Practice {
  readonly dir: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  write(file: string, content: string): void;
  read(file: string): string;
  git(...args: string[]): string;
  commits(): readonly string[];
  /** Runs `ralph ARGS` to its end; short commands and runs in a process that serves many, one at a time. */
  ralph(...args: string[]): Promise<Answer>;
  /** As `ralph`, always in a process of its own. */
  start(...args: string[]): Promise<Ran>;
  /**
   * As `ralph`, in the process of the queries: for what reads, is refused or writes no store. It may keep the store
   * open, so that what replaces the store afterwards is refused.
   */
  answer(...args: string[]): Promise<Answer>;
  /** `ralph ARGS --json`, parsed; throws with its stderr when it is no JSON. What only reads has no process of its own. */
  json(...args: string[]): Promise<unknown>;
  /** The events of `ralph run ARGS --json`, and its exit code. */
  run(
    ...args: string[]
  ): Promise<{ readonly code: number | null; readonly events: readonly RunEvent[]; readonly stderr: string }>;
  /** Writes a configuration whose agent follows `script`, and approves it. */
  useWorker(script: WorkerScript, config?: string): Promise<void>;
  /** Gives the agent of `useWorker` another script. */
  setScript(script: WorkerScript): void;
  /** Adds tasks as `ralph task add` does, without a start of ralph; of titles alone, with the ids `t-1`, `t-2`, …. */
  addTasks(tasks: readonly (string | PracticeTask)[]): Promise<void>;
  /** Approves `.ralph/config.yaml` as it is, without a start of ralph. */
  approveConfig(): Promise<void>;
  remove(): void;
}

export interface RunEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The objects of a text that holds one in each line, as the events of a run do. */
export function jsonLines<T = RunEvent>(text: string): readonly T[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

/** Makes a project with one commit holding `files`. */
export function practice(
  files: Readonly<Record<string, string>> = { "README.md": "# practice\n" },
  extraEnv: Readonly<Record<string, string>> = {},
): Practice {
  const base = newFolder();
  copyTemplate(["practice", files], base, (folder) => {
    const made = practiceIn(folder);
    mkdirSync(made.dir);
    mkdirSync(made.home);
    // As in a project that ignores ralph's file, so that tests see a clean tree.
    mkdirSync(join(made.home, "config/git"), { recursive: true });
    writeFileSync(join(made.home, "config/git/ignore"), ".ralph-context.json\n");
    made.git("init", "-q", "-b", "main");
    made.git("config", "user.name", "Practice");
    made.git("config", "user.email", "practice@example.invalid");
    for (const [file, content] of Object.entries(files)) made.write(file, content);
    made.git("add", "-A");
    made.git("commit", "-q", "-m", "start");
  });
  return practiceIn(base, extraEnv);
}

/** Approves all that the project would execute: where that is its configuration alone, without a start of ralph. */
async function approve({ dir, home, ralph }: Pick<Practice, "dir" | "home" | "ralph">): Promise<void> {
  if (readdirSync(join(dir, ".ralph")).length === 1) return approveConfig(dir, home);
  const { code, stderr } = await ralph("trust", "approve", "--yes");
  if (code !== 0) throw new Error(`ralph trust approve: ${stderr}`);
}

/** A copy in folders of its own; what was approved in the original is not approved there. */
export function copyOf(original: Practice, extraEnv: Readonly<Record<string, string>> = {}): Practice {
  const base = newFolder();
  cpSync(dirname(original.dir), base, { recursive: true, verbatimSymlinks: true });
  return practiceIn(base, extraEnv);
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "ralph-e2e-")));
}

function practiceIn(base: string, extraEnv: Readonly<Record<string, string>> = {}): Practice {
  const dir = join(base, "project");
  const home = join(base, "home");
  const env = {
    PATH: `${process.env["PATH"]}`,
    HOME: home,
    LANG: "C.UTF-8",
    TMPDIR: base,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    GIT_CONFIG_NOSYSTEM: "1",
    ...extraEnv,
  };
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), content);
  };
  const git = (...args: string[]): string => runGit(args, { cwd: dir, env }).trimEnd();
  const worker = join(base, "worker.sh");
  const setScript = (script: WorkerScript): void => {
    // Not in place: a shell reads its program as it goes.
    writeFileSync(`${worker}.new`, workerScript(script));
    renameSync(`${worker}.new`, worker);
  };
  const start = (...args: string[]): Promise<Ran> => runRalph(args, { dir, env });
  // A process keeps what another environment changes; where the user's data lies is read by each command.
  const serves = Object.keys(extraEnv).every((name) => name === "XDG_DATA_HOME");
  const ralph = async (...args: string[]): Promise<Answer> =>
    (serves ? served(args, { dir, env }) : undefined) ?? start(...args);
  const isStatus = ([command]: readonly string[]): boolean => serves && command === "status";
  return {
    dir,
    home,
    env,
    write,
    read: (file) => readFileSync(join(dir, file), "utf8"),
    git,
    commits: () => git("log", "--format=%s").split("\n"),
    ralph,
    start,
    answer: (...args) => query(args, { dir, env }),
    json: async (...args) => {
      const words = [...args, "--json"];
      return parse(await (isQuery(words) || isStatus(words) ? query(words, { dir, env }) : ralph(...words)));
    },
    run: async (...args) => {
      const { code, stdout, stderr } = await ralph("run", ...args, "--json");
      return { code, stderr, events: jsonLines(stdout) };
    },
    setScript,
    useWorker: async (script, config = "") => {
      setScript(script);
      // Relative, so that a copy's agent is its own.
      const argv = JSON.stringify(["sh", "../worker.sh"]);
      write(
        ".ralph/config.yaml",
        `agent: command\nagents:\n  command: { argv: ${argv}, tiers: [small, large] }\n${baseline(config)}${config}`,
      );
      git("add", "-A");
      git("commit", "-q", "-m", "configure ralph");
      await approve({ dir, home, ralph });
    },
    addTasks: (tasks) => addTasks({ dir }, tasks),
    approveConfig: () => approveConfig(dir, home),
    remove: () => removeFolder(base),
  };
}

/** Runs what can share a process; undefined for all else. */
function served(args: readonly string[], place: Pick<Practice, "dir" | "env">): Promise<Answer> | undefined {
  if (args[0] === "run") return queryRun(args, place);
  return isShortCommand(args) ? query(args, place) : undefined;
}

/** Most tests are not about the baseline, and many start with a verification that fails. */
function baseline(config: string): string {
  return config.includes("verifyBaseline") ? "" : "verifyBaseline: off\n";
}

/** A command line with which an agent waits until a person has acted. */
export const waitForPerson: readonly string[] = [
  "sh",
  "-c",
  "touch ../at-work; until [ -e ../go-on ]; do sleep 0.05; done",
];

/** Runs `act`, as a person, while an agent waits by `waitForPerson`. Returns what it does. */
export async function duringIteration<T>(project: Practice, act: () => Promise<T>): Promise<T> {
  const end = Date.now() + 60_000;
  while (!existsSync(join(project.dir, "../at-work"))) {
    if (Date.now() > end) throw new Error("no agent is at work");
    await sleep(20);
  }
  try {
    return await act();
  } finally {
    project.write("../go-on", "");
  }
}

/** A verification with a compiler's manners: its error stands between screens of noise. */
const checkScript = `cd src || exit 1
for file in *; do
  grep -q BROKEN "$file" || continue
  seq 0 2999 | sed 's/^/• Packages in scope: banner line /'
  echo "src/$file(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
  seq 0 299 | sed 's/^/cache miss, executing /'
  exit 2
done
`;
/** Runs `check.sh`, which fails for a file in `src` that holds BROKEN. */
export const verify = 'verify: ["sh check.sh"]\n';

/** A project with tasks `t-1`, `t-2`, … of these titles, a worker that follows `script`, and a verification. */
export async function withTasks(
  script: WorkerScript,
  titles: readonly string[],
  config: string = verify,
): Promise<Practice> {
  const made = practice({ "check.sh": checkScript, "src/base.txt": "ok\n" });
  await made.useWorker(script, config);
  await made.addTasks(titles);
  return made;
}

/** The events of judged attempts. */
export const finished = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.filter((event) => event.type === "iteration.finished");

function parse({ stdout, stderr, code }: Omit<Ran, "signal">): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON (exit ${code}): ${stdout}\n${stderr}`);
  }
}

/** Runs `ralph ARGS` in `dir` to its end. */
export function runRalph(
  args: readonly string[],
  { dir, env }: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ran> {
  return new Promise((done) => {
    const options = { cwd: dir, env, encoding: "utf8", maxBuffer: 1e9 } as const;
    const child = execFile(process.execPath, [...ralphStart, ...args], options, (_, stdout, stderr) => {
      done({ code: child.exitCode, signal: child.signalCode, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Lets git sign what it tries before the run, and no commit of the run. */
export function failToSign({ dir, git, write }: Pick<Practice, "dir" | "git" | "write">): void {
  const first = "[ ! -e ../signed ] || exit 1\ntouch ../signed\n";
  write("../sign", `#!/bin/sh\ncat > /dev/null\n${first}echo '[GNUPG:] SIG_CREATED ' >&2\necho signed\n`);
  chmodSync(join(dir, "../sign"), 0o755);
  git("config", "gpg.program", join(dir, "../sign"));
  git("config", "commit.gpgsign", "true");
}
