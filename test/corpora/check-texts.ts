import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanText } from "../../src/base/text.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createTask, getTask } from "../../src/tasks/graph/task-store.ts";
import type { Finding } from "./finding.ts";

/** Every text goes into a task, as its description and, where a title may be it, as its title, and comes out the same. */
export async function checkTexts(texts: readonly string[]): Promise<Finding> {
  const root = mkdtempSync(join(tmpdir(), "ralph-corpora-"));
  const details: string[] = [];
  try {
    const db = await openStore({ path: join(root, "progress.db") });
    for (const text of texts) {
      const title = text.trim() === "" || text.length > 500 ? "untitled" : text;
      const { id } = await db.transaction((tx) => createTask(tx, { title, description: text }, new Date()));
      const task = await getTask(db, id);
      if (task?.description !== cleanText(text)) details.push(`description: ${text}`);
      if (task?.title.trim() !== cleanText(title).trim())
        details.push(`title: ${text} became ${task?.title}`);
    }
    const [check] = await db.all<{ integrity_check: string }>("PRAGMA integrity_check");
    if (check?.integrity_check !== "ok") details.push("the database is damaged");
    await db.close();
  } finally {
    rmSync(root, { recursive: true });
  }
  return {
    passed: details.length === 0,
    figures: `${texts.length} texts, ${details.length} changed`,
    details,
  };
}
