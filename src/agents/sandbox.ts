import { isAbsolute, join, resolve } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { RalphError } from "../base/errors.ts";
import type { SandboxSettings } from "../base/shared-settings.ts";
import { findBubblewrap, sandboxPrefix } from "../process/bubblewrap.ts";
import { findProgram } from "../process/find-program.ts";
import type { IsolationLevel } from "./isolation.ts";
import { agentState } from "./sandbox/agent-state.ts";
import { composeView, type ViewParts } from "./sandbox/compose-view.ts";
import { lockedProgram } from "./sandbox/locked-paths.ts";
import { filesOf, pathFolders, programFolders } from "./sandbox/program-folders.ts";
import { isBelow, systemMounts } from "./sandbox/system-mounts.ts";
import { detectIsolation } from "./supervision.ts";

type Environment = Readonly<Record<string, string>>;

/** A program as it would start without a sandbox. */
interface Program {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
}

interface AgentProgram extends Program {
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
interface Launch extends Program {
  readonly sandbox: readonly string[] | null;
}

/** Where agents and their verification run. Made once per run. */
export interface Sandbox {
  /** For the run's header: the level and what limits it. */
  readonly summary: string;
  /** The meaning of `summary`, for people. */
  readonly effect: string;
  agent(program: AgentProgram): Launch;
  verification(program: Program): Launch;
}

/** The places of a project and its user. Paths are absolute and without links. */
export interface SandboxPlaces {
  /** The project and its git folders. */
  readonly project: readonly [string, ...string[]];
  readonly home: string;
  /** ralph's folders of the user, such as those of approvals and shared memory: no sandbox shows them. */
  readonly hidden: readonly string[];
  /** Files of the user that git and ralph read. */
  readonly read: readonly string[];
  /** The programs of ralph: Node, and its own start file. */
  readonly ralph: readonly string[];
  /** The files that these load: read-only, also inside the project. */
  readonly locked: readonly string[];
}

/** How agents and verification run: `isolation` kills their processes, `sandbox` limits what they see. */
export interface Confinement {
  readonly isolation: IsolationLevel;
  readonly sandbox: Sandbox | null;
}

/**
 * Determines how agents run by the setting `sandbox`. `auto`: in a PID namespace where this system supports one, by a trial
 * run (5 ms). Never returns less than what is asked for. `placesOf` is called for `strict` only.
 *
 * @throws RalphError `RALPH_ISOLATION_MISSING` if `required` or `strict` is impossible here, `RALPH_SANDBOX_HOME`
 */
export async function openSandbox(
  settings: SandboxSettings,
  placesOf: () => Promise<SandboxPlaces>,
): Promise<Confinement> {
  const isolation = await detectIsolation(settings.level);
  if (settings.prefix !== null) return { isolation, sandbox: prefixed(settings.prefix) };
  if (settings.level !== "strict") return { isolation, sandbox: null };
  return { isolation, sandbox: await strictSandbox(settings, await placesOf()) };
}

/** A container of the user's around agents: it decides what they see, and ralph still kills what it started here. */
function prefixed(prefix: readonly [string, ...string[]]): Sandbox {
  return {
    summary: `in ${prefix[0]}`,
    effect: "agents see what it shows them; verification runs outside",
    agent: ({ argv, cwd, env, marker, tmpDir, added }) => {
      const values: Readonly<Record<string, string>> = { cwd, tmp: tmpDir, id: marker };
      const fill = (word: string): string => word.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
      const [first, ...rest] = prefix;
      const words = rest.flatMap((word) =>
        word === "{env}" ? [...added, "RALPH_MARKER"].map((name) => `--env=${name}`) : [fill(word)],
      );
      return { argv: [fill(first), ...words, ...argv], cwd, env, sandbox: null };
    },
    verification: (program) => ({ ...program, sandbox: null }),
  };
}

async function strictSandbox(settings: SandboxSettings, places: SandboxPlaces): Promise<Sandbox> {
  const { home, project } = places;
  if (project.some((folder) => isBelow(home, folder))) {
    throw new RalphError(
      "RALPH_SANDBOX_HOME",
      `\`sandbox: strict\` cannot hide your home folder ${home}: it is inside the project`,
      { hint: "move the project to a folder of its own; or set `sandbox: required`" },
    );
  }
  const bubblewrap = await findBubblewrap();
  if (typeof bubblewrap === "string") throw unavailable(bubblewrap);
  const place = (path: string): string =>
    path.startsWith("~/") ? join(home, path.slice(2)) : resolve(project[0], path);
  const base = {
    system: systemMounts(),
    home,
    sealed: places.hidden,
    written: [...project, ...settings.write.map(place)],
    read: [...places.read, ...settings.read.map(place)],
    programs: places.ralph.flatMap(programFolders),
  };
  const launch = (program: Program, extra: ViewExtra, network: boolean): Launch => {
    const { argv, cwd } = program;
    const env = withoutSockets(program.env);
    const executable = findProgram(argv[0], { cwd, env });
    const view = composeView({
      ...base,
      // The separate work tree of a verification is not in the project.
      written: [...base.written, cwd, ...extra.written],
      read: [...base.read, ...extra.read],
      programs: [
        ...base.programs,
        ...pathFolders(env),
        ...(executable === undefined ? [] : programFolders(executable)),
        ...filesOf(argv, cwd),
      ],
      locked: [...places.locked, ...lockedProgram(executable)],
    });
    return { argv, cwd, env, sandbox: sandboxPrefix(bubblewrap, { mounts: view, cwd, network }) };
  };
  return {
    summary: `strict (bubblewrap; network ${networkText(settings)})`,
    effect: "agents see the project, their own login and state, and the system, read-only",
    agent: (program) => {
      const state = agentState({ name: program.agent, program: program.argv[0] }, home, program.env);
      const [main] = state.written;
      // Otherwise what it keeps in its first session would be lost with the sandbox.
      if (main !== undefined) makeFolders(main);
      const written = [...state.written, program.tmpDir, ...program.folders].filter(isAbsolute);
      return launch(program, { written, read: state.read }, settings.network !== "off");
    },
    verification: (program) =>
      settings.verification
        ? launch(program, { written: [], read: [] }, settings.network === "on")
        : { ...program, sandbox: null },
  };
}

type ViewExtra = Pick<ViewParts, "written" | "read">;

function networkText({ network, verification }: SandboxSettings): string {
  const checks = verification ? "" : "; verification outside";
  return `${network === "agent" ? "for agents only" : network}${checks}`;
}

function unavailable(reason: string): RalphError {
  return new RalphError(
    "RALPH_ISOLATION_MISSING",
    `\`sandbox: strict\` is set, but no sandbox can be made here: ${reason}`,
    {
      hint: "On Linux, install bubblewrap (Debian: apt install bubblewrap) and allow user namespaces; or set `sandbox: auto`.",
    },
  );
}

/** Variables that lead to services of the user's desktop, whose sockets a sandbox does not show. */
const socketVariables = new Set([
  ...["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST"],
]);

function withoutSockets(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !socketVariables.has(name)));
}
