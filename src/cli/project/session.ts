import { resolve } from "node:path";
import { lookThrough } from "../../base/careful-files.ts";
import { systemClock } from "../../base/clock.ts";
import { fixed, type SafeText, safe } from "../../base/safe-text.ts";
import { shellWord, wrapText } from "../../base/text.ts";
import { wantsColour, wantsProgress } from "../../config/environment.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { OptionValue, Screen, Session, Surroundings } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";

type Options = Readonly<Record<string, OptionValue>>;

/** Returns the surroundings of a person: this process. */
export function personHere(execute: Surroundings["execute"]): Surroundings {
  const { stdin, stdout, stderr } = process;
  return { cwd: process.cwd(), stdin, stdout, stderr, inside: null, execute };
}

/**
 * Returns the session of a command line from what is around it and the global options.
 *
 * @throws RalphError `RALPH_USAGE` when the folder does not exist.
 */
export function createSession(options: Options, around: Surroundings): Session {
  const { stdin, stdout, stderr } = around;
  const cwd = folderOf(options, around);
  if (!lookThrough(cwd)?.isDirectory()) {
    throw usageError(`folder not found: ${cwd}`, "check the path after -C");
  }
  const quiet = options["quiet"] === true;
  const screen = createScreen(options, around);
  const canAsk = stdin.isTTY === true && stderr.isTTY === true && options["input"] !== false;
  const warned = new Set<string>();
  const fitted = (text: SafeText): SafeText => (options["json"] === true ? text : fitToScreen(text, stdout));
  const session: Session = {
    cwd,
    around,
    iteration: around.inside?.iteration ?? null,
    json: options["json"] === true,
    configFlag: configFlag(options),
    quiet,
    verbose: options["verbose"] === true,
    clock: systemClock,
    screen,
    out: (text) => void stdout.write(`${fitted(fixed(text))}\n`),
    outFile: (text) => void stdout.write(`${screen.outIsTerminal ? storedText(text) : text}\n`),
    note: (text) => {
      if (!quiet) stderr.write(`${fitToScreen(fixed(text), stderr)}\n`);
    },
    canAsk,
    confirm: async (question, otherwise) => {
      if (!canAsk) return otherwise;
      const asked: SafeText = fixed(question);
      const answer = await askOnTerminal(safe`${asked} ${otherwise ? "[Y/n]" : "[y/N]"} `);
      return answer === "" ? otherwise : answer.toLowerCase().startsWith("y");
    },
    ask: async (question) => (canAsk ? askOnTerminal(safe`${question} `) : ""),
    loadSettings: async (flags = {}, folder = cwd) => {
      // An agent may have changed the files since.
      if (around.inside) return around.inside.project.loaded;
      const { loadSettings } = await import("../../config/load-settings.ts");
      const loaded = await loadSettings({ cwd: folder, flags, file: configFile(options, around) });
      for (const warning of loaded.warnings.filter((one) => !warned.has(one))) {
        warned.add(warning);
        session.note(safe`warning: ${storedText(warning)}`);
      }
      return loaded;
    },
    openProject: async (wanted = {}) => {
      if (around.inside) return around.inside.project;
      const { openProject } = await import("./open-project.ts");
      return openProject(session, wanted);
    },
  };
  return session;
}

/** Returns the folder of a command line: that of `-C`, else the one that it was typed in. */
export function folderOf(options: Options, { cwd }: Pick<Surroundings, "cwd">): string {
  return resolve(cwd, typeof options["directory"] === "string" ? options["directory"] : ".");
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
function configFile(options: Options, { cwd }: Surroundings): string | null | undefined {
  if (options["config"] === false) return null;
  return typeof options["config"] === "string" ? resolve(cwd, options["config"]) : undefined;
}

function configFlag({ config }: Options): string {
  if (config === false) return "--no-config ";
  if (typeof config !== "string") return "";
  return `--config ${shellWord(config)} `;
}

function createScreen(options: Options, { stdout, stderr }: Surroundings): Screen {
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
