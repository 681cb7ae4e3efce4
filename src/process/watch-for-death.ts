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
 * kernel closes our pipe, it kills the remaining groups, waits until they are gone (at most .2 s), and marks the file: until
 * then an agent works on, and on a busy machine one that is killed can still complete a call that creates a file.
 */
const script = `groups=
while read -r sign group; do
  case $sign in
    +) groups="$groups $group" ;;
    -) left=; for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done; groups=$left ;;
    end) exit 0 ;;
  esac
done
tries=0
for one in $groups; do kill -9 "-$one"; done
for one in $groups; do
  while kill -0 "-$one" && test $tries -lt 40; do tries=$((tries+1)); sleep 0.005; done
done
echo died`;

let watcher: ChildProcess | undefined;

/**
 * Starts a shell that waits for the end of this process, however it ends. The shell then kills the registered process
 * groups and appends `died` to the open file `fd`: a link cannot redirect the write. If it cannot start (Windows, process
 * limit reached), nothing is killed or marked.
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

/** Registers a process group with the watcher, if there is one; returns a function that unregisters it. */
export function watchGroup(group: number): () => void {
  const input = watcher?.stdin;
  input?.write(`+ ${group}\n`);
  return () => void (input?.writable && input.write(`- ${group}\n`));
}
