import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const debian = "/usr/lib/postgresql";

/** Returns the folder of the newest server's programs: Debian's, or RALPH_TEST_POSTGRES_BIN; undefined: none is installed. */
export function serverPrograms(): string | undefined {
  const given = process.env["RALPH_TEST_POSTGRES_BIN"];
  if (given !== undefined) return given;
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(debian, version, "bin"))
    .find((folder) => existsSync(join(folder, "postgres")));
}

/** A server on 127.0.0.1 with an empty database. */
export interface TestServer {
  /** The address of the database, without a schema. */
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a server. Root starts it as the user `postgres`, as the server demands. */
export async function startServer(
  programs: string,
  more: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-postgres-"));
  const data = join(folder, "data");
  const as = userOf();
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  const quiet = { ...as, cwd: folder, stdio: "ignore" } as const;
  const cluster = ["-D", data, "-U", "ralph", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
  execFileSync(join(programs, "initdb"), cluster, quiet);
  const port = await freePort();
  const settings = {
    ...{ port, listen_addresses: "127.0.0.1", unix_socket_directories: folder },
    ...{ fsync: "off", max_connections: 200, ...more },
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let server: ChildProcess | null = null;
  const isReady = (): boolean => {
    try {
      execFileSync(join(programs, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], quiet);
      return true;
    } catch {
      return false;
    }
  };
  const start = async (): Promise<void> => {
    server = spawn(join(programs, "postgres"), ["-D", data, ...options], quiet);
    for (let n = 0; n < 400; n++) {
      if (isReady()) return;
      await sleep(25);
    }
    throw new Error("the server does not answer");
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = server;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await ended;
  };
  await start();
  return {
    url: `postgres://ralph@127.0.0.1:${port}/postgres`,
    kill: () => end("SIGKILL"),
    start,
    remove: async () => {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function userOf(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Returns a port of 127.0.0.1 that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
