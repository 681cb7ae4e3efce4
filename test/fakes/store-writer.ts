import { systemClock } from "../../src/base/clock.ts";
import { openEventLog } from "../../src/events/event-log.ts";
import { record } from "../../src/events/event-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { rejectLater } from "../reject-later.ts";

// Opens a store and, told how often, writes an event to it and brings it to the log. Says what is certain.
const [path = "", log = "", name = "", times = "0"] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

say("opening");
const db = await openStore({ path });
say("open");
const events = openEventLog({ db, file: log, clock: systemClock, onFailure: rejectLater });
for (let n = 1; n <= Number(times); n += 1) {
  await db.transaction((tx) => record(tx, { type: "note.added", data: { name, n } }, new Date()));
  say(`committed ${n}`);
  await events.flush();
}
await db.close();
