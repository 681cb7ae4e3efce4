import type { Tx } from "../../src/store/port/db.ts";

export const now: string = "2026-01-02T03:04:05.678Z";
export const insertTask: string = "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)";
export const addTask = (tx: Tx, id: string, title = `Task ${id}`): Promise<number> =>
  tx.run(insertTask, [id, title, now, now]);
