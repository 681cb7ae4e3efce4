import type { Reader } from "../store/db.ts";

/** What a task is about, cut short. */
export interface TaskText {
  readonly id: string;
  readonly title: string;
  readonly tags: string;
  readonly description: string;
}

const descriptionChars = 500;
const idsPerQuery = 500;

/** The texts of those of `ids` that there are, tags as their JSON; cut in the store, for a description may be long. */
export async function taskTexts(q: Reader, ids: readonly string[]): Promise<readonly TaskText[]> {
  const texts: TaskText[] = [];
  for (let at = 0; at < ids.length; at += idsPerQuery) {
    const part = ids.slice(at, at + idsPerQuery);
    const found = await q.all<TaskText>(
      `SELECT id, title, tags, substr(description, 1, ${descriptionChars}) AS description FROM tasks
       WHERE id IN (${part.map(() => "?").join(", ")})`,
      part,
    );
    texts.push(...found);
  }
  return texts;
}
