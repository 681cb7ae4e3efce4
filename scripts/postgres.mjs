// node scripts/postgres.mjs COMMAND…: runs a command with RALPH_TEST_POSTGRES_URL, the address of a PostgreSQL server that lives as long
// as the command does. The server's programs are Debian's (`apt install postgresql`), or those in RALPH_TEST_POSTGRES_BIN.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const debian = "/usr/lib/postgresql";

/** Returns the folder of the newest server's programs; undefined: none is installed. */
export function serverPrograms() {
  const given = process.env["RALPH_TEST_POSTGRES_BIN"];
  if (given !== undefined) return given;
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(debian, version, "bin")).find((folder) => existsSync(join(folder, "postgres")));
}

/** Starts an empty server on 127.0.0.1. Root starts it as the user `postgres`, as the server demands. */
export async function startServer(programs) {
  const folder = mkdtempSync(join(tmpdir(), "ralph-postgres-"));
  const data = join(folder, "data");
  const as = userOf();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const quiet = { ...as, cwd: folder, stdio: "ignore" };
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "ralph", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"], quiet);
  const port = await freePort();
  const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: "off", max_connections: 200 };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const start = () => spawn(join(programs, "postgres"), ["-D", data, ...options], quiet);
  let server = start();
  const ready = async () => {
    for (let n = 0; n < 400; n++) {
      try {
        execFileSync(join(programs, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], quiet);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
    throw new Error("the server does not answer");
  };
  const end = (signal) =>
    new Promise((resolve) => {
      if (server.exitCode !== null || server.signalCode !== null) return resolve(undefined);
      server.once("exit", resolve);
      server.kill(signal);
    });
  await ready();
  return {
    url: `postgres://ralph@127.0.0.1:${port}/postgres`,
    kill: () => end("SIGKILL"),
    start: async () => {
      server = start();
      await ready();
    },
    remove: async () => {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function userOf() {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" })));
  return { uid, gid };
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const [command, ...args] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename && command !== undefined) {
  const programs = serverPrograms();
  if (programs === undefined) {
    console.error("no PostgreSQL server is installed (Debian: apt install postgresql)");
    process.exit(5);
  }
  const server = await startServer(programs);
  const env = { ...process.env, RALPH_TEST_POSTGRES_URL: server.url };
  const child = spawn(command, args, { env, stdio: "inherit" });
  child.once("exit", async (code) => {
    await server.remove();
    process.exit(code ?? 1);
  });
}
