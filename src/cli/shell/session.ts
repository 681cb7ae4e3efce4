import { resolve } from "node:path";
import { lookThrough } from "../../base/careful-files.ts";
import { systemClock } from "../../base/clock.ts";
import { RalphError } from "../../base/errors.ts";
import { fixed, type SafeText, safe } from "../../base/safe-text.ts";
import { wrapText } from "../../base/text.ts";
import { wantsColour, wantsProgress } from "../../config/environment.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { OptionValue, Project, Screen, Session } from "./command.ts";

type Options = Readonly<Record<string, OptionValue>>;

/** Passes a project that was opened before the command to the command. */
interface Keeper {
  keepProject(project: Project): void;
  closeKept(): Promise<void>;
}

/**
 * Returns the session of a command line: this process's streams, its folder and the global options.
 *
 * @throws RalphError `RALPH_USAGE` when the folder does not exist.
 */
export function createSession(options: Options): Session & Keeper {
  const directory = typeof options["directory"] === "string" ? options["directory"] : ".";
  const cwd = resolve(directory);
  if (!lookThrough(cwd)?.isDirectory()) {
    throw new RalphError("RALPH_USAGE", `folder not found: ${cwd}`, { hint: "check the path after -C" });
  }
  const quiet = options["quiet"] === true;
  const screen = createScreen(options);
  const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true && options["input"] !== false;
  const warned = new Set<string>();
  const fitted = (text: SafeText): SafeText =>
    options["json"] === true ? text : fitToScreen(text, process.stdout);
  let kept: Project | undefined;
  const session: Session & Keeper = {
    cwd,
    json: options["json"] === true,
    configFlag: configFlag(options),
    quiet,
    verbose: options["verbose"] === true,
    clock: systemClock,
    screen,
    out: (text) => void process.stdout.write(`${fitted(fixed(text))}\n`),
    outFile: (text) => void process.stdout.write(`${screen.outIsTerminal ? storedText(text) : text}\n`),
    note: (text) => {
      if (!quiet) process.stderr.write(`${fitToScreen(fixed(text), process.stderr)}\n`);
    },
    canAsk,
    confirm: async (question, otherwise) => {
      if (!canAsk) return otherwise;
      const asked: SafeText = fixed(question);
      const answer = await askOnTerminal(safe`${asked} ${otherwise ? "[Y/n]" : "[y/N]"} `);
      return answer === "" ? otherwise : answer.toLowerCase().startsWith("y");
    },
    ask: async (question) => (canAsk ? askOnTerminal(safe`${question} `) : ""),
    loadSettings: async (flags = {}) => {
      const { loadSettings } = await import("../../config/load-settings.ts");
      const loaded = await loadSettings({ cwd, flags, file: configFile(options) });
      for (const warning of loaded.warnings.filter((one) => !warned.has(one))) {
        warned.add(warning);
        session.note(safe`warning: ${storedText(warning)}`);
      }
      return loaded;
    },
    keepProject: (project) => {
      kept = project;
    },
    closeKept: async () => kept?.close(),
    openProject: async (wanted = {}) => {
      const project = kept;
      kept = undefined;
      if (project && !wanted.flags) return project;
      await project?.close();
      const { openProject } = await import("../project/open-project.ts");
      return openProject(session, wanted);
    },
  };
  return session;
}

/** Wraps text at the width that the terminal has now; a file or a pipe gets it unchanged. */
export function fitToScreen(
  text: SafeText,
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
): SafeText {
  return isTTY && columns ? wrapText(text, columns) : text;
}

/** Returns the columns of a run's summary: the terminal's width, or 80. */
export function summaryColumns({ outIsTerminal, columns }: Screen): number {
  return outIsTerminal && columns > 0 ? Math.max(40, columns) : 80;
}

/** Returns the file of `--config`, null for `--no-config`, undefined for the default locations. */
function configFile(options: Options): string | null | undefined {
  if (options["config"] === false) return null;
  return typeof options["config"] === "string" ? resolve(options["config"]) : undefined;
}

function configFlag({ config }: Options): string {
  if (config === false) return "--no-config ";
  if (typeof config !== "string") return "";
  const isPlain = /^[\w./@%+=:,-]+$/.test(config);
  return `--config ${isPlain ? config : `'${config.replaceAll("'", "'\\''")}'`} `;
}

function createScreen(options: Options): Screen {
  const { stdout, stderr } = process;
  return {
    columns: stdout.columns ?? stderr.columns ?? 100,
    outIsTerminal: stdout.isTTY === true,
    noteIsTerminal: stderr.isTTY === true && wantsProgress(),
    colour: options["color"] !== false && wantsColour(stdout.isTTY === true),
    writeNote: (text) => void stderr.write(text),
  };
}

async function askOnTerminal(question: SafeText): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is in raw mode: Ctrl-C arrives as a key, and a closed input ends no question.
  const closed = new Promise<string>((resolve) => {
    terminal.once("close", () => resolve(""));
    terminal.once("SIGINT", () => {
      process.kill(process.pid, "SIGINT");
      terminal.close();
    });
  });
  try {
    return (await Promise.race([terminal.question(question), closed])).trim();
  } finally {
    terminal.close();
  }
}
