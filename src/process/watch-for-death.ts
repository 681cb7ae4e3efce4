import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { systemPath } from "./isolation-probe.ts";

/** A watcher that outlives this process. */
interface DeathWatch {
  /** Ends the watcher without a mark. */
  end(): void;
}

/**
 * Reads `+ <group>` and `- <group>` for process groups that start and end, and `end`. At the end of its input, when the
 * kernel closes our pipe, it kills the remaining groups, waits until they are gone, and marks the file: until then an agent
 * works on, and on a busy machine one that is killed can still complete a call that creates a file. If that takes longer than
 * 40 looks, the wait counts as a delay. It writes the second mark right after reading the first one's state, so that Linux
 * records the exact time rather than that of the last clock tick. The mark includes the shell's running and waiting times
 * (/proc/self/schedstat) from before and after the end of input, or from after the last look where groups remained: on a
 * busy machine their growth is the delay of the mark. A first thread that ended ("Z") may leave others at work.
 */
const script = `groups=
late() { read -r ran waited rest < /proc/self/schedstat; }
late
while before="$ran $waited"; read -r sign group; do
  case $sign in
    +) groups="$groups $group" ;;
    -) left=; for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done; groups=$left ;;
    end) exit 0 ;;
  esac
  late
done
up() { read -r up rest < /proc/uptime && now=\${up%.*}\${up#*.}; }
lives() {
  for stat in /proc/[0-9]*/stat; do
    read -r line < $stat || continue
    set -- \${line##*) }
    test "$3" = $one || continue
    test "$1" = Z && test "\${18}" -le 1 || return 0
  done
  return 1
}
now=0; up; began=$now tries=0 slept=0
for one in $groups; do kill -9 "-$one"; done
for one in $groups; do
  while kill -0 "-$one" && lives; do
    tries=$((tries+1))
    if test $tries -gt 40; then up; slept=$(((now-began)*10000000)); break; fi
    sleep 0.005
  done
done
if test "$groups"; then late; before="$ran $waited"; fi
echo died; test -s /dev/fd/1; late; echo "died $before $ran $((waited+slept))"`;

let watcher: ChildProcess | undefined;

/**
 * Starts a shell that waits for the end of this process, however it ends. The shell then kills the registered process
 * groups and appends `died` to the open file `fd`, whose modification time, less `markDelay`, is the time of death: of this
 * process and of the groups. It holds the file open, so a link cannot redirect the write. If it cannot start (Windows, process
 * limit reached), nothing is marked.
 */
export function watchForDeath(fd: number): DeathWatch {
  if (process.platform === "win32") return { end: () => undefined };
  // Its own session: neither Ctrl-C nor the end of the terminal reaches it.
  const child = spawn("/bin/sh", ["-c", script], {
    cwd: "/",
    env: { PATH: systemPath },
    detached: true,
    stdio: ["pipe", fd, "ignore"],
  });
  child.on("error", () => undefined);
  child.stdin?.on("error", () => undefined);
  // Neither the watcher nor its pipe keeps this process running.
  child.unref();
  (child.stdin as Socket | null)?.unref();
  watcher = child;
  const end = (): void => {
    if (watcher === child) watcher = undefined;
    child.stdin?.end("end\n");
  };
  return { end };
}

/**
 * Returns the nanoseconds between the end of this process and its groups and the watcher's mark, read from the marked file's text; 0 if
 * the system does not count them.
 */
export function markDelay(text: string): bigint {
  const times = /^died (\d+) (\d+) (\d+) (\d+)$/m.exec(text)?.slice(1).map(BigInt);
  if (!times) return 0n;
  const [ran = 0n, waited = 0n, ranThen = 0n, waitedThen = 0n] = times;
  const delay = ranThen - ran + waitedThen - waited;
  return delay > 0n ? delay : 0n;
}

/** Registers a process group with the watcher, if there is one; returns a function that unregisters it. */
export function watchGroup(group: number): () => void {
  const input = watcher?.stdin;
  input?.write(`+ ${group}\n`);
  return () => void (input?.writable && input.write(`- ${group}\n`));
}
