import type { SandboxWords } from "../../process/bubblewrap.ts";

/**
 * How reliably an agent's processes are killed. `pid-namespace`: all of them, even if ralph itself gets SIGKILL;
 * `process-group`: by a scan after each iteration, and by the next start for what a killed ralph left behind.
 */
export type IsolationLevel = "pid-namespace" | "process-group";

type Environment = Readonly<Record<string, string>>;

/** A program as it would start without a sandbox. */
export interface ProgramStart {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
}

interface AgentProgram extends ProgramStart {
  /** The agent's name. */
  readonly agent: string;
  /** Folders that it writes besides the project, its temporary files and its own state: its journal. */
  readonly folders: readonly string[];
  /** Of the session. */
  readonly marker: string;
  readonly tmpDir: string;
  /** The names of the variables that ralph adds to the inherited environment. */
  readonly added: readonly string[];
}

/** How to start a program: the fields of a `ProcessRequest`. */
export interface SandboxLaunch extends ProgramStart {
  readonly sandbox: SandboxWords | null;
}

/** The level in force. */
export interface SandboxLevel {
  /** For the run's header: the level and what limits it. */
  readonly summary: string;
  /** The meaning of `summary`, for people. */
  readonly effect: string;
  /** True: less than the setting `auto` wants, because the system does not allow it. */
  readonly isPartial: boolean;
}

/** Where agents, their verification and hooks run. Made once per run. */
export interface Sandbox extends SandboxLevel {
  agent(program: AgentProgram): SandboxLaunch;
  /** Its folder of temporary files, `TMPDIR`, can be in ralph's. */
  verification(program: ProgramStart): SandboxLaunch;
  /** For the hooks of git in ralph's own commits; null: they see what the user sees. */
  hooks(): SandboxWords | null;
}

/** The places of a project and its user. Paths are absolute and without links. */
export interface SandboxPlaces {
  /** The project and its git folders. */
  readonly project: readonly [string, ...string[]];
  /** Folders around or beside these that programs only read: with workers, the person's own tree and those of the others. */
  readonly besides: readonly string[];
  /** The folder of the separate work tree in which `verifyGuard: clean` verifies; it need not exist. */
  readonly clean: string;
  /** ralph's folder in the project. */
  readonly store: string;
  /** The folders of git's hooks that are not in the work tree. */
  readonly hooks: readonly string[];
  readonly home: string;
  /** ralph's folders of the user, such as those of approvals and shared memory: no sandbox shows them. */
  readonly hidden: readonly string[];
  /** Files of the user that git and ralph read. */
  readonly read: readonly string[];
  /** The programs of ralph: Node, and its own start file. */
  readonly ralph: readonly string[];
  /** The files and folders that these load: read-only, also inside the project. */
  readonly locked: readonly string[];
}

/** How agents and verification run: `isolation` kills their processes, `sandbox` limits what they see. */
export interface Confinement {
  readonly isolation: IsolationLevel;
  readonly sandbox: Sandbox | null;
}
