import { resolve } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { openProject } from "../src/cli/project/open-project.ts";
import { personHere } from "../src/cli/project/session.ts";
import type { CommandSpec, Session } from "../src/cli/shell/command.ts";
import { entry } from "../src/cli/shell/entry.ts";
import { parse } from "../src/cli/shell/parse.ts";
import { loadSettings } from "../src/config/load-settings.ts";
import type { Iteration } from "../src/memory/learning-actions.ts";
import { storedText } from "../src/trust/stored-text.ts";

/** The output and exit code of a command. */
interface Said {
  readonly code: number;
  readonly out: string;
  readonly note: string;
}

/** Runs one command in `cwd` as typed, in this process; `columns` makes it think that it writes to a terminal. */
export async function runCommand(
  spec: CommandSpec,
  words: readonly string[],
  place: { readonly cwd: string; readonly columns?: number; readonly iteration?: Iteration | null },
): Promise<Said> {
  const parsed = await parse(
    [entry("command", "does it", async () => ({ command: spec }))],
    ["command", ...words],
  );
  if ("text" in parsed) return { code: 0, out: parsed.text, note: "" };
  const out: string[] = [];
  const note: string[] = [];
  const cwd = resolve(place.cwd);
  const session: Session = {
    cwd,
    around: personHere(async () => 0),
    iteration: place.iteration ?? null,
    json: parsed.invocation.options["json"] === true,
    configFlag: "",
    quiet: false,
    verbose: false,
    clock: systemClock,
    screen: {
      columns: place.columns ?? 100,
      outIsTerminal: place.columns !== undefined,
      noteIsTerminal: false,
      colour: false,
      writeNote: () => undefined,
    },
    out: (text) => void out.push(text),
    outFile: (text) => void out.push(place.columns === undefined ? text : storedText(text)),
    note: (text) => void note.push(text),
    canAsk: false,
    confirm: async (_, otherwise) => otherwise,
    ask: async () => "",
    loadSettings: (flags = {}, folder = cwd) => loadSettings({ cwd: folder, flags }),
    openProject: (wanted = {}) => openProject(session, wanted),
  };
  const code = (await spec.run(session, parsed.invocation)) ?? 0;
  return { code, out: out.join("\n"), note: note.join("\n") };
}
