import type { Row, SqlParam, Tx } from "../port/db.ts";
import { insertStatements, type LateRow } from "../port/late-rows.ts";
import type { Client } from "./client.ts";
import { isLost } from "./connection.ts";
import { PostgresDialect } from "./dialect.ts";

interface Ending {
  /** The SQL that commits. */
  readonly commit: string;
  /** `Dialect.place`. */
  readonly place: string;
  /** Finds out whether the transaction was committed, after its session was lost. */
  wasCommitted(): Promise<boolean>;
}

/** Runs `work` in the transaction that `client` has just begun, commits it by `commit`, or rolls it back. */
export async function inTransaction<T>(
  client: Client,
  { commit, place, wasCommitted }: Ending,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const transaction = openTransaction(client, place);
  try {
    const result = await work(transaction.tx);
    // Sent together: after a row that fails the server rolls back in place of committing.
    const [rows, end] = await Promise.allSettled([transaction.flush(), client.exec(commit)]);
    const failed = [rows, end].find(({ status }) => status === "rejected");
    const error: unknown = failed?.status === "rejected" ? failed.reason : undefined;
    if (failed && (!isLost(error) || !(await wasCommitted()))) throw error;
    return result;
  } catch (error) {
    transaction.end();
    if (!client.isOver) await client.exec("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function openTransaction(client: Client, place: string) {
  let over = false;
  let begun = 0;
  let depth = 0;
  const atCommit: LateRow[] = [];
  /** Savepoints that the server does not know yet: one without a statement costs no round trip. */
  const unsent: string[] = [];
  const query = async (sql: string, params?: readonly SqlParam[]) => {
    if (over) throw new Error("a transaction was used after its end: something in it is not awaited");
    const names = unsent.splice(0);
    if (names.length === 0) return client.query(sql, params);
    const opening = client.exec(names.map((name) => `SAVEPOINT ${name}`).join("; "));
    // Sent together.
    const [answer] = await Promise.all([client.query(sql, params), opening]);
    return answer;
  };
  const isSent = (name: string): boolean => {
    const at = unsent.indexOf(name);
    if (at !== -1) unsent.splice(at, 1);
    return at === -1;
  };
  const statements = {
    all: async <T = Row>(sql: string, params?: readonly SqlParam[]) =>
      (await query(sql, params)).rows as readonly T[],
    get: async <T = Row>(sql: string, params?: readonly SqlParam[]) =>
      (await query(sql, params)).rows[0] as T | undefined,
  };
  const tx: Tx = {
    ...statements,
    run: async (sql, params) => (await query(sql, params)).count,
    dialect: new PostgresDialect(statements, place),
    insertAtCommit: (table, row) => void atCommit.push({ table, row }),
    savepoint: async (work) => {
      const before = atCommit.length;
      begun += 1;
      const name = `savepoint_${begun}`;
      depth += 1;
      const own = depth;
      unsent.push(name);
      try {
        const result = await work();
        if (depth !== own) throw new Error("savepoints overlap: await one before the next begins");
        if (isSent(name)) await client.exec(`RELEASE ${name}`);
        return result;
      } catch (error) {
        atCommit.length = before;
        if (isSent(name) && !client.isOver) await client.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      } finally {
        depth -= 1;
      }
    },
  };
  return {
    tx,
    flush: async () => {
      over = true;
      await Promise.all(insertStatements(atCommit).map(({ sql, params }) => client.query(sql, params)));
    },
    end: () => {
      over = true;
    },
  };
}
