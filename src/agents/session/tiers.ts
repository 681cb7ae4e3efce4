/** Returns the configured tiers, or the agent's own if there are none. */
export function tiersOf(
  configured: readonly string[] | null,
  own: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const [first, ...rest] = configured ?? [];
  return first === undefined ? own : [first, ...rest];
}
