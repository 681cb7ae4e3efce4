import { variants } from "../test-size.ts";

/** Of what comes before a kill, the first `few` variants; `npm run test:crash` tries all. */
export function kills<T>(all: readonly T[], few: number): readonly T[] {
  return variants(all, few, "RALPH_TEST_KILLS");
}

/**
 * Shell commands that kill the ralph by which the shell was started, directly or through other processes, like a power failure.
 * Where ralph is dead already, they do nothing.
 */
export const killRalph = `above=$PPID
until [ "\${above:-0}" -le 1 ] || grep -q 'ralph\\.js' "/proc/$above/cmdline"; do
  above=$(awk '/^PPid/ { print $2 }' "/proc/$above/status")
done
[ "\${above:-0}" -le 1 ] || kill -9 "$above"`;
