/** Returns the number of white-space characters at the beginning of a line. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
