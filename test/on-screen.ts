import { spawn, spawnSync } from "node:child_process";
import { ralphStart } from "./e2e/practice.ts";

/** True where `script` provides a terminal. */
export const hasScreen: boolean = spawnSync("script", ["--version"]).status === 0;

interface Shown {
  readonly code: number | null;
  readonly screen: string;
}

/**
 * Runs `ralph ARGS` on a terminal and types each answer once the screen shows its question, in order. The carriage returns
 * and the escape sequences of the terminal are removed from `screen`.
 */
export function onScreen(
  args: readonly string[],
  place: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
  answers: readonly (readonly [question: RegExp, answer: string])[] = [],
  columns = 100,
): Promise<Shown> {
  const quoted = [process.execPath, ...ralphStart, ...args].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  );
  const child = spawn("script", ["-qec", `stty cols ${columns}; exec ${quoted.join(" ")}`, "/dev/null"], {
    cwd: place.dir,
    env: { ...place.env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let seen = 0;
  const open = [...answers];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    const [next] = open;
    const found = next?.[0].exec(screen.slice(seen));
    if (!next || !found) return;
    seen += found.index + found[0].length;
    open.shift();
    child.stdin.write(`${next[1]}\r`);
  });
  return new Promise((done) =>
    child.on("close", (code) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's own sequences
      done({ code, screen: screen.replace(/\u001b\[[\d;?]*[A-Za-z]|\r/g, "") });
    }),
  );
}
