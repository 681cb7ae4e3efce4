/**
 * Shell commands that kill the ralph by which the shell was started, directly or through other processes, like a power failure.
 * Where ralph is dead already, they do nothing.
 */
export const killRalph = `above=$PPID
until [ "\${above:-0}" -le 1 ] || grep -q 'ralph\\.js' "/proc/$above/cmdline"; do
  above=$(awk '/^PPid/ { print $2 }' "/proc/$above/status")
done
[ "\${above:-0}" -le 1 ] || kill -9 "$above"`;
