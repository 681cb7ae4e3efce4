import { deliverEntries } from "../../src/memory/hivemind/deliver-entries.ts";
import { putPending } from "../../src/memory/hivemind/entry-store.ts";
import { openStore } from "../../src/store/open-store.ts";

/** Stores records of the project in argv in the hivemind, one after another, for so many milliseconds; prints their number. */
const [store = "", path = "", name = "", ms = "0"] = process.argv.slice(2);
const db = await openStore({ path: store });
const project = () => Promise.reject(new Error("a delivery does not ask who the project is"));
const end = performance.now() + Number(ms);
let n = 0;
while (performance.now() < end) {
  n += 1;
  const now = new Date();
  const memory = {
    id: `h-${name}-${n}`,
    type: "success",
    title: `Task ${n} of ${name}`,
    content: `Ralph completed: task ${n} of ${name}. Files: src/${name}.ts. Summary: part ${n % 17} of the parser works.`,
    tags: ["ralph", "learning", name],
    project: name,
    projectName: name,
    signature: null,
    createdAt: now.toISOString(),
  } as const;
  await db.transaction((tx) => putPending(tx, memory, { source: "attempt", taskId: null, runId: null, now }));
  await deliverEntries(db, { hivemind: { path, project }, deadlineMs: 15_000, now });
}
await db.close();
process.stdout.write(`${n}`);
