import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  copyOf,
  jsonLines,
  type Practice,
  practice,
  type RunEvent,
  ralphStart,
  runRalph,
} from "../e2e/practice.ts";
import { approveConfig } from "../e2e/practice-setup.ts";
import { queryRun } from "../e2e/query.ts";
import { runGit } from "../git-shell.ts";

/** A repository with a project of three tasks in it, to be put into some state. */
export interface StateRepository {
  /** The folder that holds the repository, the home and whatever else a state needs. */
  readonly base: string;
  readonly home: string;
  /** The top of the work tree that ralph works in. */
  readonly top: string;
  /** Where `.ralph` lies: the top, or below it. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  git(...args: string[]): string;
  /** Git's answer also where it fails, as a merge with conflicts does. */
  tryGit(...args: string[]): string;
  write(path: string, content: string | Uint8Array): void;
  /** An executable file. */
  script(path: string, ...lines: string[]): string;
  link(target: string, path: string): void;
  read(path: string): string;
  exists(path: string): boolean;
  /** The same repository, seen from another folder: the project moves there. */
  at(place: { readonly top: string; readonly below?: string }): StateRepository;
  run(...args: string[]): Promise<Ended>;
  /** Whether the agent was started on `task`. */
  begun(task: string): boolean;
  /** `kill -9` to ralph alone as soon as `when` holds; true when it came to that. */
  runAndKill(when: () => boolean, ...args: string[]): Promise<boolean>;
  remove(): void;
}

export interface Ended {
  readonly code: number | null;
  readonly events: readonly RunEvent[];
  readonly stderr: string;
}

const files = {
  "src/shared.txt": "shared\n",
  "src/old.txt": "old\n",
  "src/keep.txt": "keep\n",
  "mine.txt": "mine\n",
  "docs/guide.txt": "guide\n",
  ".gitignore": "*.log\nbuild/\n.env\n",
  "check.sh": "! grep -rqs BROKEN src\n",
};

/** The agent's script unless a state says otherwise: t-1 works, t-2 never does, t-3 does at its second attempt. */
export const usual: Readonly<Record<"t-1" | "t-2" | "t-3", readonly [object, ...object[]]>> = {
  "t-1": [
    { write: { "src/one.txt": "one\n", "src/shared.txt": "shared, by t-1\n" }, remove: ["src/old.txt"] },
  ],
  "t-2": [
    {
      // Time for a kill, where there is one.
      sleepMs: process.env["RALPH_TEST_GIT"] === undefined ? 0 : 150,
      write: {
        "src/two.txt": "BROKEN\n",
        "src/shared.txt": "BROKEN by t-2\n",
        'src/-a "b"\n.txt': "BROKEN\n",
      },
      remove: ["src/keep.txt"],
    },
  ],
  "t-3": [{ write: { "src/three.txt": "BROKEN\n" } }, { write: { "src/three.txt": "three\n" } }],
};

type Script = Readonly<Record<string, string | readonly object[]>>;

/** The repository that each state begins with a copy of. */
async function template(): Promise<Practice> {
  const made = practice(files);
  await made.useWorker({}, 'verify: ["sh check.sh"]\n');
  await made.addTasks(["work t-1", "work t-2", "work t-3"]);
  return made;
}

type Arguments = Parameters<typeof repositoryFrom> extends [Practice, ...infer Rest] ? Rest : never;

/** For a test file: gives copies of one template, each taken away after its test. */
export function stateRepositories(): (...how: Arguments) => StateRepository {
  let original: Practice;
  const given: StateRepository[] = [];
  beforeAll(async () => {
    original = await template();
  });
  afterEach(() => {
    for (const one of given.splice(0)) one.remove();
  });
  afterAll(() => original?.remove());
  return (...how) => {
    const repo = repositoryFrom(original, ...how);
    given.push(repo);
    return repo;
  };
}

/** A copy of the template whose agent follows `script`. */
function repositoryFrom(
  original: Practice,
  script: Script | ((base: string) => Script) = usual,
  config = "",
): StateRepository {
  const copy = copyOf(original);
  const base = dirname(copy.dir);
  const steps = typeof script === "function" ? script(base) : script;
  copy.setScript({ ...steps, starts: join(base, "starts") });
  const settings = copy.read(".ralph/config.yaml").replace("../worker.sh", join(base, "worker.sh"));
  copy.write(".ralph/config.yaml", settings + config);
  copy.git("commit", "-qam", "settings of the copy");
  return repo(copy, { top: copy.dir, root: copy.dir });
}

function repo(
  copy: Practice,
  { top, root }: { readonly top: string; readonly root: string },
): StateRepository {
  const base = dirname(copy.dir);
  const { env, home } = copy;
  const git = (...args: string[]): string => runGit(args, { cwd: top, env }).trimEnd();
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), content);
  };
  return {
    base,
    home,
    top,
    root,
    env,
    git,
    tryGit: (...args) => {
      try {
        return git(...args);
      } catch (error) {
        return String(error);
      }
    },
    write,
    script: (path, ...lines) => {
      write(path, ["#!/bin/sh", ...lines, ""].join("\n"));
      chmodSync(join(top, path), 0o755);
      return join(top, path);
    },
    link: (target, path) => symlinkSync(target, join(top, path)),
    read: (path) => readFileSync(join(top, path), "utf8"),
    exists: (path) => existsSync(join(top, path)),
    at: (place) => {
      const moved = join(place.top, place.below ?? "");
      if (moved !== root) cpSync(join(root, ".ralph"), join(moved, ".ralph"), { recursive: true });
      return repo(copy, { top: place.top, root: moved });
    },
    run: async (...args) => {
      await approveConfig(root, home);
      const words = ["run", ...args, "--json"];
      const place = { dir: root, env };
      const { code, stdout, stderr } = await (queryRun(words, place) ?? runRalph(words, place));
      return { code, stderr, events: jsonLines(stdout) };
    },
    begun: (task) => {
      const starts = join(base, "starts");
      return existsSync(starts) && readFileSync(starts, "utf8").includes(`${task} `);
    },
    runAndKill: async (when, ...args) => {
      await approveConfig(root, home);
      const options = { cwd: root, env, stdio: "ignore" } as const;
      const child = spawn(process.execPath, [...ralphStart, "run", ...args], options);
      const ended = new Promise<void>((done) => child.once("exit", () => done()));
      while (child.exitCode === null && !when()) await sleep(5);
      const alive = child.exitCode === null;
      child.kill("SIGKILL");
      await ended;
      return alive;
    },
    remove: () => copy.remove(),
  };
}
