const longest = 256;

/**
 * `values` as lists for `… IN (?, ?, …)`. Lengths are powers of two, the last value repeated, so that a driver that
 * keeps prepared statements keeps few.
 */
export function inLists(
  values: readonly string[],
): readonly { readonly sql: string; readonly params: string[] }[] {
  const lists: { sql: string; params: string[] }[] = [];
  for (let at = 0; at < values.length; at += longest) {
    const params = values.slice(at, at + longest);
    const last = params.at(-1) ?? "";
    while ((params.length & (params.length - 1)) !== 0) params.push(last);
    lists.push({ sql: `(${params.map(() => "?").join(", ")})`, params });
  }
  return lists;
}
