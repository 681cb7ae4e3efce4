const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const tabStop = 4;

/** Reads a text line by line and counts columns as Markdown does: a tab ends at the next multiple of four. */
export class LineCursor {
  readonly text: string;
  /** From 1; 0 before the first line. */
  line = 0;
  /** Offsets of the line's first character and of its line break. */
  start = 0;
  end = 0;
  /** The current place. Within a tab, `offset` is that of the tab and `column` is inside it. */
  offset = 0;
  column = 0;
  /** The offset of the next character that is not a space or tab, and its distance in columns. */
  next = 0;
  indent = 0;
  blank = true;
  #following = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Moves to the next line; false at the end of the text. */
  nextLine(): boolean {
    if (this.#following >= this.text.length) return false;
    this.start = this.#following;
    let end = this.start;
    while (end < this.text.length && !this.#isLineBreak(end)) end++;
    const isPair = this.text.charCodeAt(end) === carriageReturn && this.text.charCodeAt(end + 1) === lineFeed;
    this.#following = end + (isPair ? 2 : 1);
    this.line++;
    this.end = end;
    this.moveTo(this.start, 0);
    return true;
  }

  moveTo(offset: number, column: number): void {
    this.offset = offset;
    this.column = column;
    this.#lookAhead();
  }

  /** Skips `columns` columns of the line, or fewer at its end; only a part of a wider tab. */
  skip(columns: number): void {
    for (let left = columns; left > 0 && this.offset < this.end; ) {
      const width = this.text.charCodeAt(this.offset) === tab ? tabStop - (this.column % tabStop) : 1;
      this.column += Math.min(left, width);
      if (width <= left) this.offset++;
      left -= width;
    }
    this.#lookAhead();
  }

  skipIndent(): void {
    this.moveTo(this.next, this.column + this.indent);
  }

  isSpace(offset: number): boolean {
    const code = offset < this.end ? this.text.charCodeAt(offset) : 0;
    return code === space || code === tab;
  }

  /** Returns true if only spaces and tabs follow in the line. */
  isBlankFrom(offset: number): boolean {
    let at = offset;
    while (this.isSpace(at)) at++;
    return at >= this.end;
  }

  /** Returns the length of the run of `char` at `offset`. */
  run(char: string, offset: number): number {
    let at = offset;
    while (at < this.end && this.text[at] === char) at++;
    return at - offset;
  }

  #lookAhead(): void {
    let at = this.offset;
    let column = this.column;
    for (; this.isSpace(at); at++)
      column += this.text.charCodeAt(at) === tab ? tabStop - (column % tabStop) : 1;
    this.next = at;
    this.indent = column - this.column;
    this.blank = at >= this.end;
  }

  #isLineBreak(offset: number): boolean {
    const code = this.text.charCodeAt(offset);
    return code === lineFeed || code === carriageReturn;
  }
}
