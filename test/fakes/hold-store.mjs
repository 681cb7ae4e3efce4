// An agent's process that writes ralph's store past ralph and keeps it open until it is killed. Usage: node hold-store.mjs SQL…
import { DatabaseSync } from "@photostructure/sqlite";

const database = new DatabaseSync(".ralph/progress.db");
database.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON");
for (const sql of process.argv.slice(2)) database.exec(sql);
database.prepare("SELECT count(*) FROM tasks").get();
process.stdout.write("written\n");
setInterval(() => undefined, 1000);
