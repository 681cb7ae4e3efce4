// npm run test:postgres: runs the tests that open a store on a PostgreSQL server of their own.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serverPrograms, startServer } from "./server.ts";

/** Tests of what only a file has. */
const ofTheFile: Readonly<Record<string, string>> = {
  "src/events/event-log.test.ts": "keeps its log in the folder of the store",
  "src/memory/lost-index.test.ts": "drops a table inside a transaction",
  "src/memory/purge-attempts.test.ts": "reads sqlite_schema",
  "src/memory/hivemind/hivemind-memory.test.ts": "reads SQLite's query plan",
  "src/memory/learnings/learning-memory.test.ts": "reads SQLite's table_info",
  "src/memory/learnings/prefetch.test.ts": "opens the store a second time by its path",
  "src/cli/commands/log/log-runs.test.ts": "commands open the file of the project",
  "src/cli/commands/task/agent-at-work.test.ts": "commands open the file of the project",
};

const programs = serverPrograms();
if (programs === undefined)
  throw new Error("no PostgreSQL server is installed (Debian: apt install postgresql)");
const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => join("src", path))
  .filter((path) => /openTemp(?:Store|Memory)|tempLoop/.test(readFileSync(path, "utf8")));
const run = files.filter((path) => !(path in ofTheFile));
for (const [path, why] of Object.entries(ofTheFile)) process.stdout.write(`not run: ${path} (${why})\n`);
const server = await startServer(programs);
const env = { ...process.env, RALPH_TEST_POSTGRES_URL: server.url };
const args = ["vitest", "run", "--maxWorkers", "2", "test/postgres", ...run, ...process.argv.slice(2)];
const child = spawn("npx", args, { env, stdio: "inherit" });
child.once("exit", async (code) => {
  await server.remove();
  process.exit(code ?? 1);
});
