import type { Clock } from "../../base/clock.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { Db } from "../../store/db.ts";

/** A command as data: the help, the parser and the completions come from the same table. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly string[];
  /** In commander's notation: `<id>`, `[ids...]`. */
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Returns the exit code, 0 when it returns nothing. Throws RalphError for what the user can mend. */
  run(session: Session, invocation: Invocation): Promise<number | undefined>;
}

interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** What a shell offers for it; tasks for one called `id`, `task` or the like. */
  readonly choices?: readonly string[];
}

export interface OptionSpec {
  /** In commander's notation: `--priority <level>`, `--yes`, `-t, --tag <tag>`. */
  readonly flags: string;
  readonly description: string;
  /** May be given several times; the value is then always a list. */
  readonly multiple?: boolean;
  /** What a shell offers as its value; it is the command that refuses others. */
  readonly choices?: readonly string[];
}

/** What was typed: arguments by name (`id`), options by camel-case name (`maxIterations`). */
export interface Invocation {
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly options: Readonly<Record<string, OptionValue>>;
}
export type OptionValue = string | boolean | readonly string[] | undefined;

/** The world of one command: where it runs and how it speaks. */
export interface Session {
  readonly cwd: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly clock: Clock;
  readonly screen: Screen;
  /** One line (or block) of data to stdout. Untrusted text must have gone through `stripControls`. */
  out(text: string): void;
  /** One line for people to stderr; silent with --quiet. */
  note(text: string): void;
  /** Whether `confirm` would ask: there is a terminal, and no --no-input. */
  readonly canAsk: boolean;
  /** Asks on a terminal; without one, or with --no-input, answers `otherwise`. */
  confirm(question: string, otherwise: boolean): Promise<boolean>;
  /** Settings for the project around `cwd`; `flags` are dotted keys (`limits.maxAttempts`) with their typed text. */
  loadSettings(flags?: Readonly<Record<string, string>>): Promise<LoadedSettings>;
  /** Opens the project around `cwd`. `RALPH_PROJECT_MISSING` when there is none and `create` is not set. */
  openProject(options?: {
    readonly create?: boolean;
    readonly flags?: Readonly<Record<string, string>>;
  }): Promise<Project>;
}

export interface Screen {
  readonly columns: number;
  readonly outIsTerminal: boolean;
  readonly noteIsTerminal: boolean;
  /** Whether stdout wants colour. */
  readonly colour: boolean;
  /** Writes to stderr without a newline: status lines. */
  writeNote(text: string): void;
}

/** An open project. Close it: that flushes the event log. */
export interface Project {
  readonly root: string;
  readonly db: Db;
  readonly log: EventLog;
  readonly loaded: LoadedSettings;
  close(): Promise<void>;
}
