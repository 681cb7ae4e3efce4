import type { Clock } from "../../base/clock.ts";
import type { SafeOrFixed, SafeText } from "../../base/safe-text.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { Iteration } from "../../memory/learning-actions.ts";
import type { Db } from "../../store/port/db.ts";

/** A command as data, from which the help, the parser and the completions are made. */
export interface CommandSpec {
  /** For its own help, where the summary of the table does not say enough. */
  readonly description?: string;
  readonly examples?: readonly string[];
  /** In commander's notation: `<id>`, `[ids...]`. */
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Returns the exit code; undefined means 0. Throws RalphError for errors that the user can fix. */
  run(session: Session, invocation: Invocation): Promise<number | undefined> | Promise<void>;
}

interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** The only values. Without them, arguments named `id`, `task` or `blocker` complete to task ids. */
  readonly choices?: readonly string[];
}

export interface OptionSpec {
  /** In commander's notation: `--priority <level>`, `--yes`, `-t, --tag <tag>`. */
  readonly flags: string;
  readonly description: string;
  /** The option may be repeated; its value is then always a list. */
  readonly multiple?: boolean;
  readonly choices?: readonly string[];
  /** Accepts other values than the choices too. */
  readonly isOpen?: boolean;
  /** Refuses a blank value, with this hint. */
  readonly whenBlank?: string;
}

/** The parsed command line: arguments by name (`id`), options by camel-case name (`maxIterations`). */
export interface Invocation {
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly options: Readonly<Record<string, OptionValue>>;
}
export type OptionValue = string | boolean | readonly string[] | undefined;

/** The surroundings of a command line: the process of a person, or the run that executes it for its agent. */
export interface Surroundings {
  readonly cwd: string;
  readonly stdin: AsyncIterable<unknown> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** A run's project and the iteration whose agent typed the command; null: a person did. */
  readonly inside: { readonly project: Project; readonly iteration: Iteration } | null;
  /** Executes another command line and returns its exit code. */
  execute(words: readonly string[], around: Surroundings): Promise<number>;
}

/** A stream for output, such as `process.stdout`. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The environment of one command: its folder, global options, streams and clock. */
export interface Session {
  readonly cwd: string;
  readonly around: Surroundings;
  /** The iteration whose agent typed the command; null: a person did. */
  readonly iteration: Iteration | null;
  readonly json: boolean;
  /** The option that chose the configuration, for hints that name a command: `--no-config `, `--config FILE ` or "". */
  readonly configFlag: string;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly clock: Clock;
  readonly screen: Screen;
  /** Prints one line (or block) of data to stdout. */
  readonly out: <const T extends string>(text: SafeOrFixed<T>) => void;
  /** Prints an exported file to stdout: unchanged to a file or pipe, without control characters to a terminal. */
  outFile(text: string): void;
  /** One line for people to stderr; nothing with --quiet. */
  readonly note: <const T extends string>(text: SafeOrFixed<T>) => void;
  /** True when `confirm` can ask: on a terminal and without --no-input. */
  readonly canAsk: boolean;
  /** Asks on a terminal; without one, or with --no-input, returns `otherwise`. */
  readonly confirm: <const T extends string>(
    question: SafeOrFixed<T>,
    otherwise: boolean,
  ) => Promise<boolean>;
  /** Asks for a line of text, trimmed; "" when `canAsk` is false. */
  ask(question: SafeText): Promise<string>;
  /**
   * Loads the settings of the project around `cwd`, or `folder`, and notes their warnings. `flags`: dotted keys
   * (`limits.maxAttempts`) with their text.
   */
  loadSettings(flags?: Readonly<Record<string, string>>, folder?: string): Promise<LoadedSettings>;
  /** Opens the project around `cwd`; `create` makes its store. Throws `RALPH_PROJECT_MISSING` outside a project. */
  openProject(options?: Opening): Promise<Project>;
}

export interface Screen {
  readonly columns: number;
  readonly outIsTerminal: boolean;
  readonly noteIsTerminal: boolean;
  readonly colour: boolean;
  /** Writes to stderr without a newline: status lines. */
  readonly writeNote: (text: SafeText) => void;
}

/** An open project. `close` flushes the event log; if that fails, only the first call throws. */
export interface Project {
  readonly root: string;
  readonly db: Db;
  readonly log: EventLog;
  readonly loaded: LoadedSettings;
  /** Returns true while calls of a patient project wait for a server that is gone. */
  isWaiting(): boolean;
  close(): Promise<void>;
}

/** As for `Session.openProject` and `Session.loadSettings`. */
export interface Opening {
  readonly create?: boolean;
  /** For what is worked on here: in a linked work tree without a store never the project of the main work tree. */
  readonly own?: boolean;
  /** For a run: waits as long as it takes for a server that is gone, and says so. */
  readonly patient?: boolean;
  readonly flags?: Readonly<Record<string, string>>;
}

/** Opens the project, runs `work` and closes it, which also flushes the events of its writes. */
export async function withProject<T>(
  session: Session,
  options: Opening,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const project = await session.openProject(options);
  try {
    return await work(project);
  } finally {
    await project.close();
  }
}

/** Returns the `run` of a command that does nothing before the project is open. */
export function inProject(
  work: (session: Session, project: Project, invocation: Invocation) => ReturnType<CommandSpec["run"]>,
  opening: Opening = {},
): CommandSpec["run"] {
  return async (session, invocation) =>
    withProject(session, opening, async (project) => {
      return (await work(session, project, invocation)) ?? undefined;
    });
}
