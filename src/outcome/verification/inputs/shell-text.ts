/** A command of a shell text, split into words as a shell does. */
export interface ShellCommand {
  /** Without quotes; a substitution is `$_`. */
  readonly words: readonly string[];
  /** The words that are quoted and contain a blank or a separator: they may be commands themselves. */
  readonly texts: readonly string[];
}

/** More of a text is not read: it would not be a script that a person wrote. */
const maxChars = 64 * 1024;
const maxCommands = 500;

/** A placeholder for the result of a command in a word. */
const substituted = "$_";
const blank = /\s/;
const plain = /[^\s'"\\$`;|&(){}#]+/y;
const plainInQuotes = /[^"\\$`]+/y;
const separators = /[\n;|&{}]/;
const needsSplit = /[\s;|&]/;

/** The state around a substitution or a group, which continues after it. */
interface Outer {
  readonly kind: "group" | "substitution" | "backtick";
  readonly words: string[];
  readonly texts: string[];
  readonly word: string | undefined;
  readonly quoted: string | undefined;
}

/**
 * Splits a shell text, or a Makefile, into its commands: also those in substitutions, in groups and in functions. Expansions
 * are not evaluated. A quote without an end does not hide commands: what follows it is read as text too. Linear time; reads 64 KiB.
 */
export function shellCommands(text: string): readonly ShellCommand[] {
  const normal = text
    .slice(0, maxChars)
    .replaceAll("\\\n", " ")
    // A Makefile's `$$` is the `$` of its shell.
    .replaceAll("$$", () => "$")
    .replace(/\$(?:\(MAKE\)|\{MAKE\})/g, "make")
    .replace(/\$\{[#!]?(\w+)[^}\n]{0,100}\}/g, "$$$1")
    // The prefixes of lines in a Makefile.
    .replace(/(^|\n)\t?[@+-]+/g, "$1");
  return new Splitter(normal).split();
}

/** Reads a text once, from its beginning to its end. */
class Splitter {
  readonly #text: string;
  readonly #found: ShellCommand[] = [];
  readonly #outer: Outer[] = [];
  #at = 0;
  #words: string[] = [];
  #texts: string[] = [];
  /** The word so far; undefined between two words. */
  #word: string | undefined;
  /** The part of the word between double quotes; undefined outside of them. */
  #quoted: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  split(): readonly ShellCommand[] {
    while (this.#at < this.#text.length && this.#found.length < maxCommands) {
      if (this.#quoted === undefined) this.#readUnquoted();
      else this.#readQuoted();
    }
    this.#endCommand();
    while (this.#outer.length > 0) {
      this.#resume(this.#outer.pop());
      this.#endCommand();
    }
    return this.#found.slice(0, maxCommands);
  }

  #readUnquoted(): void {
    const char = this.#text[this.#at] ?? "";
    if (char === "\\") this.#append(this.#text.slice(this.#at + 1, this.#at + 2), 2);
    else if (char === "'") this.#readSingle();
    else if (char === '"') this.#openQuotes();
    else if (char === "#") this.#readHash();
    else if (char === "$" || char === "(" || char === ")" || char === "`") this.#readBracket(char);
    else if (separators.test(char)) this.#endCommand(1);
    else if (blank.test(char)) this.#endWord(1);
    else this.#appendRun(plain);
  }

  #readQuoted(): void {
    const char = this.#text[this.#at] ?? "";
    if (char === '"') this.#closeQuotes();
    else if (char === "\\") this.#readEscaped();
    else if (char === "`" || char === "$") this.#readBracket(char);
    else this.#appendRun(plainInQuotes);
  }

  /** A substitution, a group, or a variable's `$`. */
  #readBracket(char: string): void {
    const top = this.#outer.at(-1)?.kind;
    if (char === "$") {
      if (this.#text[this.#at + 1] === "(") this.#enter("substitution", 2);
      else this.#append("$", 1);
    } else if (char === "(") this.#enter("group", 1);
    else if (char === ")") this.#leave(top !== undefined && top !== "backtick");
    else if (top === "backtick" && this.#quoted === undefined) this.#leave(true);
    else this.#enter("backtick", 1);
  }

  #enter(kind: Outer["kind"], length: number): void {
    if (kind === "group") this.#endCommand();
    const { words, texts } = { words: this.#words, texts: this.#texts };
    this.#outer.push({ kind, words, texts, word: this.#word, quoted: this.#quoted });
    this.#resume(undefined);
    this.#at += length;
  }

  /** Without a beginning, a `)` ends a pattern of `case`. */
  #leave(hasBegun: boolean): void {
    this.#endCommand(1);
    const outer = hasBegun ? this.#outer.pop() : undefined;
    if (outer === undefined) return;
    this.#resume(outer);
    if (outer.kind !== "group") this.#append(substituted, 0);
  }

  #resume(outer: Outer | undefined): void {
    this.#words = outer?.words ?? [];
    this.#texts = outer?.texts ?? [];
    this.#word = outer?.word;
    this.#quoted = outer?.quoted;
  }

  #append(part: string, length: number): void {
    this.#word = (this.#word ?? "") + part;
    if (this.#quoted !== undefined) this.#quoted += part;
    this.#at += length;
  }

  #appendRun(run: RegExp): void {
    run.lastIndex = this.#at;
    const part = run.exec(this.#text)?.[0] ?? this.#text.slice(this.#at, this.#at + 1);
    this.#append(part, part.length);
  }

  #readSingle(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    const part = end < 0 ? "" : this.#text.slice(this.#at + 1, end);
    this.#noteText(part);
    this.#append(part, end < 0 ? 1 : part.length + 2);
  }

  #openQuotes(): void {
    this.#word ??= "";
    this.#quoted = "";
    this.#at++;
  }

  #closeQuotes(): void {
    this.#noteText(this.#quoted ?? "");
    this.#quoted = undefined;
    this.#at++;
  }

  /** A backslash between double quotes is only special before some characters. */
  #readEscaped(): void {
    const next = this.#text.slice(this.#at + 1, this.#at + 2);
    this.#append(/["\\$`]/.test(next) ? next : `\\${next}`, 2);
  }

  /** At the beginning of a word it is a comment, which may contain a quote without an end. */
  #readHash(): void {
    if (this.#word === undefined) {
      const end = this.#text.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#text.length : end;
    } else this.#append("#", 1);
  }

  #noteText(part: string): void {
    if (needsSplit.test(part)) this.#texts.push(part);
  }

  #endWord(length = 0): void {
    if (this.#word) this.#words.push(this.#word);
    this.#word = undefined;
    this.#at += length;
  }

  #endCommand(length = 0): void {
    // The text ends between quotes: one of them was none.
    if (this.#quoted !== undefined) this.#closeQuotes();
    this.#endWord(length);
    if (this.#words.length > 0) this.#found.push({ words: this.#words, texts: this.#texts });
    this.#words = [];
    this.#texts = [];
  }
}

/** Returns the words of all commands of a text, as `shellCommands` splits it. */
export function shellWords(text: string): readonly string[] {
  return shellCommands(text).flatMap(({ words }) => words);
}
