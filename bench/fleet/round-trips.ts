import { type AddressInfo, createConnection, createServer } from "node:net";
import { openStore } from "../../src/store/open-store.ts";
import { addTask } from "../../src/tasks/graph/task-graph.ts";
import { practice } from "../../test/e2e/practice.ts";

const tasks = 12;

interface RoundTrips {
  readonly least: number;
  readonly median: number;
  /** With maintenance of the memory, which runs beside every tenth agent, and looks at requests of a person each second. */
  readonly most: number;
}

/**
 * Counts the round trips to a PostgreSQL server at `url` between the starts of two iterations whose tasks succeed at once, in a project
 * of three files.
 */
export async function countRoundTrips(url: string): Promise<RoundTrips> {
  const counter = await openCounter(Number(new URL(url).port));
  const counted = new URL(`${url}?schema=trips`);
  counted.port = String(counter.port);
  const three = { "src/a.txt": "a\n", "src/b.txt": "b\n", "src/c.txt": "c\n" };
  const project = practice(three, { RALPH_STORE_URL: counted.href });
  try {
    await project.useWorker({ "*": [{ write: { "src/{id}.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
    const db = await openStore({ path: `${url}?schema=trips` });
    for (let n = 1; n <= tasks; n += 1)
      await db.transaction((tx) =>
        addTask(tx, { task: { id: `t-${n}`, title: `task ${n}` }, after: [] }, new Date()),
      );
    await db.close();
    const { code } = await project.run();
    if (code !== 0) throw new Error(`ralph run ended with ${code}`);
    const { starts } = counter;
    if (starts.length !== tasks) throw new Error(`counted ${starts.length} iterations of ${tasks}`);
    const each = starts.slice(1).map((at, n) => at - (starts[n] ?? 0));
    each.sort((a, b) => a - b);
    return { least: each[0] ?? 0, median: each[Math.floor(each.length / 2)] ?? 0, most: each.at(-1) ?? 0 };
  } finally {
    counter.close();
    project.remove();
  }
}

interface Counter {
  readonly port: number;
  /** The number of round trips when each iteration was written. */
  readonly starts: readonly number[];
  close(): void;
}

/** Opens a port before that of a server. A round trip begins with the first bytes of a client after those of the server. */
async function openCounter(target: number): Promise<Counter> {
  const starts: number[] = [];
  let trips = 0;
  const server = createServer((client) => {
    const onward = createConnection(target, "127.0.0.1");
    let isAsking = false;
    client.on("data", (bytes) => {
      if (!isAsking) trips += 1;
      isAsking = true;
      if (bytes.includes("INSERT INTO iterations ")) starts.push(trips);
      onward.write(bytes);
    });
    onward.on("data", (bytes) => {
      isAsking = false;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, starts, close: () => void server.close() };
}
