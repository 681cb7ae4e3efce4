/** Shell commands that kill the ralph by which the shell was started, directly or through other processes, like a power failure. */
export const killRalph = `above=$PPID
until grep -q 'ralph\\.js' "/proc/$above/cmdline"; do above=$(awk '/^PPid/ { print $2 }' "/proc/$above/status"); done
kill -9 "$above"`;
