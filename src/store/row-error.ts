/** Whether the database refused one row for what is in it: a broken constraint, or a value of the wrong type. */
export function isRowError(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" && [19, 20].includes(code & 0xff);
}
