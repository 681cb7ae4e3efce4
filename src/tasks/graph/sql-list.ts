const maxLength = 256;

/**
 * Splits `values` into lists for `… IN (?, ?, …)`. Lengths are powers of two, padded with the last value, so that a
 * driver that caches prepared statements caches few.
 */
export function inLists(
  values: readonly string[],
): readonly { readonly sql: string; readonly params: string[] }[] {
  const lists: { sql: string; params: string[] }[] = [];
  for (let at = 0; at < values.length; at += maxLength) {
    const params = values.slice(at, at + maxLength);
    const last = params.at(-1) ?? "";
    while ((params.length & (params.length - 1)) !== 0) params.push(last);
    lists.push({ sql: `(${params.map(() => "?").join(", ")})`, params });
  }
  return lists;
}
