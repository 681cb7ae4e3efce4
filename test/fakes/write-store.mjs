// An agent that writes ralph's store past ralph. Usage: node write-store.mjs SQL…
import { DatabaseSync } from "@photostructure/sqlite";

const database = new DatabaseSync(".ralph/progress.db");
database.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON");
for (const sql of process.argv.slice(2)) database.exec(sql);
database.close();
