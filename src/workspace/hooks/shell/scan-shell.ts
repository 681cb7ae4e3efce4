/** A part of a script, by its offsets. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A word as it is written, with its quotes. */
export interface ShellWord extends Range {
  readonly text: string;
}

/** A simple command: a program with its arguments, or assignments. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** The files that it writes by `>` or `>>`. */
  readonly targets: readonly ShellWord[];
  /** The command in whose words a substitution runs this one. */
  readonly parent: ShellCommand | null;
  /** The command that reads its output through a pipe. */
  readonly next: ShellCommand | null;
}

/** The commands of a script, also those of substitutions, and its comments. */
export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  readonly comments: readonly Range[];
  /** The output of several commands in parentheses goes through a pipe. */
  readonly isGroupPiped: boolean;
}

interface Open {
  readonly words: ShellWord[];
  readonly targets: ShellWord[];
  readonly parent: Open | null;
  next: Open | null;
}

interface State {
  readonly text: string;
  at: number;
  readonly commands: Open[];
  readonly comments: Range[];
  /** The delimiters of here-documents that begin with the next line. */
  heredocs: string[];
  isGroupPiped: boolean;
}

type Closer = ")" | "`" | null;
interface Place {
  readonly closer: Closer;
  readonly parent: Open | null;
  readonly depth: number;
}

/** Substitutions in substitutions. */
const maxDepth = 20;
/** Commands of one script. */
const maxCommands = 5000;

/** Splits a script of the shell into its commands, in linear time; returns null for one that is not understood. */
export function scanShell(text: string): ShellScript | null {
  const state: State = { text, at: 0, commands: [], comments: [], heredocs: [], isGroupPiped: false };
  return scanList(state, { closer: null, parent: null, depth: 0 }) ? state : null;
}

interface List {
  command: Open;
  /** Open parentheses of subshells. */
  groups: number;
}

/** Reads commands up to the closer. Returns false for what is not understood, as all functions here. */
function scanList(state: State, place: Place): boolean {
  if (place.depth > maxDepth || state.commands.length > maxCommands) return false;
  const list: List = { command: opened(state, place.parent), groups: 0 };
  while (state.at < state.text.length) {
    if (state.text[state.at] === place.closer && list.groups === 0) {
      state.at++;
      return true;
    }
    const isRead =
      skipBlank(state) ||
      scanSeparator(state, list, place) ||
      (isRedirection(state.text, state.at)
        ? scanRedirection(state, list.command, place)
        : addWord(state, list.command, place));
    if (!isRead || state.commands.length > maxCommands) return false;
  }
  return place.closer === null;
}

function addWord(state: State, command: Open, place: Place): boolean {
  const word = scanWord(state, command, place);
  if (word !== null) command.words.push(word);
  return word !== null;
}

const blank = /[ \t\r]+|\\\n|#[^\n]*/y;

function skipBlank(state: State): boolean {
  const found = matchAt(state, blank);
  if (found?.startsWith("#")) state.comments.push({ from: state.at - found.length, to: state.at });
  return found !== null;
}

const separator = /\|\||&&|\|&?|&(?!>)|[;\n()]/y;

function scanSeparator(state: State, list: List, place: Place): boolean {
  const found = matchAt(state, separator);
  if (found === null) return false;
  const next = opened(state, place.parent);
  if (found === "|" || found === "|&") {
    if (list.command.words.length === 0) state.isGroupPiped = true;
    list.command.next = next;
  }
  if (found === "(") list.groups++;
  if (found === ")") list.groups = Math.max(0, list.groups - 1);
  if (found === "\n") skipHeredocs(state);
  list.command = next;
  return true;
}

/** Returns what matches here, and goes behind it. */
function matchAt(state: State, pattern: RegExp): string | null {
  pattern.lastIndex = state.at;
  const found = pattern.exec(state.text)?.[0];
  state.at += found?.length ?? 0;
  return found ?? null;
}

function opened(state: State, parent: Open | null): Open {
  const command: Open = { words: [], targets: [], parent, next: null };
  state.commands.push(command);
  return command;
}

function skipHeredocs(state: State): void {
  for (const delimiter of state.heredocs.splice(0)) {
    for (let line: string | undefined; state.at < state.text.length && line !== delimiter; ) {
      const end = state.text.indexOf("\n", state.at);
      const to = end === -1 ? state.text.length : end;
      line = state.text.slice(state.at, to).replace(/^\t+/, "");
      state.at = to + 1;
    }
  }
}

/** Not the substitutions `<(…)` and `>(…)`, which are words. */
function isRedirection(text: string, at: number): boolean {
  const char = text[at];
  return char === "&" || ((char === "<" || char === ">") && text[at + 1] !== "(");
}

const operator = /&>>?|>[>|&]?|<<<|<<-?|<[&>]?/y;

function scanRedirection(state: State, command: Open, place: Place): boolean {
  const found = matchAt(state, operator) ?? "";
  while (state.text[state.at] === " " || state.text[state.at] === "\t") state.at++;
  const word = scanWord(state, command, place);
  if (word === null || word.text === "") return false;
  if (found.includes(">") && found !== "<>") command.targets.push(word);
  else if (found.startsWith("<<") && found !== "<<<") state.heredocs.push(word.text.replace(/["'\\]/g, ""));
  else command.words.push(word);
  return true;
}

/** Returns an empty word at the end of a command. */
function scanWord(state: State, command: Open, place: Place): ShellWord | null {
  const { text } = state;
  const from = state.at;
  while (state.at < text.length) {
    const char = text[state.at] ?? "";
    if (char === place.closer || " \t\r\n;&|()".includes(char)) break;
    if ((char === "<" || char === ">") && text[state.at + 1] !== "(") break;
    if (!scanPart(state, command, place)) return null;
  }
  return { from, to: state.at, text: text.slice(from, state.at) };
}

function scanPart(state: State, command: Open, place: Place): boolean {
  const char = state.text[state.at];
  if (char === "'") return skipTo(state, "'", state.at + 1);
  if (char === "<" || char === ">") {
    state.at += 2;
    return scanList(state, { closer: ")", parent: command, depth: place.depth + 1 });
  }
  if (char !== '"') return scanExpansion(state, command, place);
  state.at++;
  while (state.at < state.text.length && state.text[state.at] !== '"')
    if (!scanExpansion(state, command, place)) return false;
  state.at++;
  return state.at <= state.text.length;
}

function skipTo(state: State, end: string, from: number): boolean {
  const found = state.text.indexOf(end, from);
  state.at = found + end.length;
  return found !== -1;
}

/** Reads a substitution, an expansion, an escaped character or a plain one. */
function scanExpansion(state: State, command: Open, place: Place): boolean {
  const { text } = state;
  const within = { parent: command, depth: place.depth + 1 };
  if (text[state.at] === "`") {
    state.at++;
    return scanList(state, { ...within, closer: "`" });
  }
  if (text.startsWith("$((", state.at)) return skipTo(state, "))", state.at);
  if (text.startsWith("$(", state.at)) {
    state.at += 2;
    return scanList(state, { ...within, closer: ")" });
  }
  if (text.startsWith("${", state.at)) return scanBraces(state, command, place);
  state.at += text[state.at] === "\\" ? 2 : 1;
  return true;
}

function scanBraces(state: State, command: Open, place: Place): boolean {
  if (place.depth > maxDepth) return false;
  state.at += 2;
  while (state.at < state.text.length && state.text[state.at] !== "}")
    if (!scanExpansion(state, command, { ...place, depth: place.depth + 1 })) return false;
  state.at++;
  return state.at <= state.text.length;
}
