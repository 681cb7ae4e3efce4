import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Practice, ralphStart } from "../e2e/practice.ts";

/** A `ralph dashboard` of a project, in a process of its own. */
export interface OpenPage {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** A link as it was printed. */
  readonly link: string;
  /** Presses Enter and returns the next link. */
  another(): Promise<string>;
  readonly process: ChildProcess;
  end(): Promise<void>;
}

export async function openPage({ dir, env }: Practice, ...options: string[]): Promise<OpenPage> {
  const child = spawn(process.execPath, [...ralphStart, "dashboard", ...options], { cwd: dir, env });
  let [out, err] = ["", ""];
  child.stderr.on("data", (text) => {
    err += text;
  });
  const next = async (): Promise<string> => {
    while (!out.includes("\n")) {
      const [text] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => [null])]);
      if (text === null) throw new Error(`ralph dashboard ended: ${err}`);
      out += text;
    }
    const [line = "", ...rest] = out.split("\n");
    out = rest.join("\n");
    return line;
  };
  const link = await next();
  return {
    ...{ link, origin: link.slice(0, link.indexOf("/#")), process: child },
    another: () => {
      child.stdin.write("\n");
      return next();
    },
    end: async () => {
      child.kill("SIGINT");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
