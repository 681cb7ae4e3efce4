import { isAbsolute, join, resolve } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { RalphError } from "../base/errors.ts";
import type { SandboxSettings } from "../base/shared-settings.ts";
import { oneLine } from "../base/text.ts";
import { findBubblewrap, type SandboxWords, sandboxWords } from "../process/bubblewrap.ts";
import { findProgram } from "../process/find-program.ts";
import { findView, type ViewMaker, type ViewMount } from "../process/view.ts";
import type {
  Confinement,
  ProgramStart,
  Sandbox,
  SandboxLaunch,
  SandboxLevel,
  SandboxPlaces,
} from "./port/confinement.ts";
import { agentState } from "./sandbox/agent-state.ts";
import { composeView, type ViewParts } from "./sandbox/compose-view.ts";
import { lockedProgram } from "./sandbox/locked-paths.ts";
import { filesOf, pathFolders, programFolders } from "./sandbox/program-folders.ts";
import { hookCopying, pins, projectMounts, shownIn } from "./sandbox/project-mounts.ts";
import { isBelow, systemMounts } from "./sandbox/system-mounts.ts";
import { detectIsolation } from "./supervision.ts";

/**
 * Determines how agents run by the setting `sandbox`, by a trial run: at every level above `off` in a PID namespace and in a view
 * where ralph's files are read-only or hidden. `auto` takes what the system allows, the others never less than is asked for.
 *
 * @throws RalphError `RALPH_ISOLATION_MISSING` if `required` or `strict` is impossible here, `RALPH_SANDBOX_HOME`
 */
export async function openSandbox(
  settings: SandboxSettings,
  placesOf: () => Promise<SandboxPlaces>,
): Promise<Confinement> {
  const { level, prefix } = settings;
  const isolation = await detectIsolation(level);
  const confined = (sandbox: Sandbox | null): Confinement => ({
    isolation,
    sandbox: prefix === null ? sandbox : prefixed(prefix, sandbox),
  });
  if (level === "off") return confined(null);
  if (level === "strict") return confined(await strictSandbox(settings, await placesOf()));
  const maker = await findView();
  if (typeof maker !== "string") return confined(readOnlyView(maker, await placesOf()));
  if (level === "required") throw unavailable("required", maker);
  return confined(unconfined(maker));
}

/** Describes the level of `auto` here, whatever the project. */
export async function defaultSandbox(): Promise<SandboxLevel> {
  const maker = await findView();
  return typeof maker === "string" ? unconfined(maker) : levelOf(maker);
}

/** Returns the permission of agents whose settings name none: any command where a sandbox binds, and no question can be asked. */
export async function defaultPermission({
  level,
}: Pick<SandboxSettings, "level">): Promise<"edit" | "shell"> {
  if (level === "off") return "edit";
  return level !== "auto" || typeof (await findView()) !== "string" ? "shell" : "edit";
}

/** The level of `auto` where the system allows no view. */
function unconfined(reason: string): Sandbox {
  const plain = ({ argv, cwd, env }: ProgramStart): SandboxLaunch => ({ argv, cwd, env, sandbox: null });
  return {
    summary: `none (${oneLine(reason)})`,
    effect: "agents can do what you can",
    isPartial: true,
    agent: plain,
    verification: plain,
    hooks: () => null,
  };
}

function levelOf({ name }: ViewMaker): SandboxLevel {
  const withoutSetuid =
    process.geteuid?.() === 0 ? "" : "; programs that become another user fail there (sudo, rootless podman)";
  return {
    summary: `read-only view of ralph's files (${name})`,
    effect: `agents, verification and hooks cannot change these or git's hooks, and leave no process${withoutSetuid}`,
    isPartial: false,
  };
}

/** The system as its user sees it, where ralph's own files are out of reach. */
function readOnlyView(maker: ViewMaker, places: SandboxPlaces): Sandbox {
  const { hidden, project, store, hooks } = places;
  const fixed = [
    ...pins([...project, store, ...hooks, ...hidden]),
    ...hidden.map((path) => ({ kind: "sealed", path }) as const),
    ...ownTrees(places),
  ];
  const view = (shown: readonly string[]): SandboxWords => {
    const mounts = [...fixed, ...shownIn(hidden, shown), ...projectMounts(places, shown)];
    const { by, words } = maker.words(mounts);
    return { by, words: [...words, ...hookCopying(places)] };
  };
  return {
    ...levelOf(maker),
    agent: ({ argv, cwd, env, tmpDir, folders }) => ({
      ...{ argv, cwd, env, sandbox: view([cwd, tmpDir, ...folders]) },
    }),
    verification: (program) => ({
      ...program,
      sandbox: view([places.clean, ...placesOfVerification(program)]),
    }),
    hooks: () => view([]),
  };
}

/** The trees of others are read-only, but for the parts of these that are the program's own. */
function ownTrees({ besides, project }: SandboxPlaces): readonly ViewMount[] {
  if (besides.length === 0) return [];
  return [
    ...besides.map((path) => ({ kind: "read", path, from: path }) as const),
    ...project.map((path) => ({ kind: "write", path, from: path }) as const),
  ];
}

/** The folders that a verification writes: its own, and that of its temporary files. */
function placesOfVerification({ cwd, env }: ProgramStart): readonly string[] {
  return [cwd, env["TMPDIR"] ?? ""].filter(isAbsolute);
}

/** A container of the user's around agents: it decides what they see, and ralph still kills what it started here. */
function prefixed(prefix: readonly [string, ...string[]], around: Sandbox | null): Sandbox {
  return {
    summary: `in ${prefix[0]}`,
    effect: `agents see what it shows them; verification runs outside: ${around?.summary ?? "without a sandbox"}`,
    isPartial: around?.isPartial ?? false,
    agent: ({ argv, cwd, env, marker, tmpDir, added }) => {
      const values: Readonly<Record<string, string>> = { cwd, tmp: tmpDir, id: marker };
      const fill = (word: string): string => word.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
      const [first, ...rest] = prefix;
      const words = rest.flatMap((word) =>
        word === "{env}" ? [...added, "RALPH_MARKER"].map((name) => `--env=${name}`) : [fill(word)],
      );
      return { argv: [fill(first), ...words, ...argv], cwd, env, sandbox: null };
    },
    verification: (program) => around?.verification(program) ?? { ...program, sandbox: null },
    hooks: () => around?.hooks() ?? null,
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
  if (typeof bubblewrap === "string") throw unavailable("strict", bubblewrap);
  const maker = await findView();
  const around = typeof maker === "string" ? null : readOnlyView(maker, places);
  const place = (path: string): string =>
    path.startsWith("~/") ? join(home, path.slice(2)) : resolve(project[0], path);
  const base = {
    system: systemMounts(),
    home,
    sealed: places.hidden,
    written: [...project, ...settings.write.map(place)],
    read: [...places.read, ...places.besides, ...settings.read.map(place)],
    programs: places.ralph.flatMap(programFolders),
  };
  const launch = (program: ProgramStart, extra: ViewExtra, network: boolean): SandboxLaunch => {
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
      locked: [...places.locked, executable].flatMap(lockedProgram),
    });
    const shown = [cwd, ...extra.written];
    const mounts = [...view, ...shownIn(places.hidden, shown), ...projectMounts(places, shown)];
    const { by, words } = sandboxWords(bubblewrap, { mounts, cwd, network });
    return { argv, cwd, env, sandbox: { by, words: [...words, ...hookCopying(places)] } };
  };
  return {
    summary: `strict (bubblewrap; network ${networkText(settings)})`,
    effect: "agents see the project, their own login and state, and the system, read-only",
    isPartial: false,
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
        ? launch(
            program,
            { written: [places.clean, ...placesOfVerification(program)], read: [] },
            settings.network === "on",
          )
        : (around?.verification(program) ?? { ...program, sandbox: null }),
    // With the user's own files, as verification and the agent need not.
    hooks: () => around?.hooks() ?? null,
  };
}

type ViewExtra = Pick<ViewParts, "written" | "read">;

function networkText({ network, verification }: SandboxSettings): string {
  const checks = verification ? "" : "; verification outside";
  return `${network === "agent" ? "for agents only" : network}${checks}`;
}

function unavailable(level: "required" | "strict", reason: string): RalphError {
  return new RalphError(
    "RALPH_ISOLATION_MISSING",
    `\`sandbox: ${level}\` is set, but no sandbox can be made here: ${reason}`,
    {
      hint: "On Linux, install bubblewrap (Debian: apt install bubblewrap) and allow user namespaces; or set `sandbox: auto`.",
    },
  );
}

type Environment = ProgramStart["env"];

/** Variables that lead to services of the user's desktop, whose sockets a sandbox does not show. */
const socketVariables = new Set([
  ...["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST"],
]);

function withoutSockets(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !socketVariables.has(name)));
}
