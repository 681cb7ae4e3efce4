import { setImmediate } from "node:timers/promises";
import type { SqlParam, Tx } from "../port/db.ts";
import { insertStatements, type LateRow } from "../port/late-rows.ts";
import type { Connection } from "./connection.ts";
import { SqliteDialect } from "./dialect.ts";

/** A `Tx` with the operations that only its owner may use. */
interface OpenTransaction {
  readonly tx: Tx;
  /** Commits; throws when the transaction is lost. */
  commit(): void;
  rollback(): void;
}

interface State {
  over: boolean;
  /** Set once SQLite has rolled back by itself. */
  lost: { readonly error: unknown } | undefined;
}

/** It is opened by the first statement inside it that may write: most parts of an iteration run none. */
interface Savepoint {
  readonly name: string;
  opened: boolean;
}

/** Milliseconds of statements after which signals and timers have their turn. */
const turnMs = 100;

/** Wraps the transaction that `connection` has just begun. */
export function openTransaction(connection: Connection): OpenTransaction {
  const state: State = { over: false, lost: undefined };
  const savepoints: Savepoint[] = [];
  const atCommit: LateRow[] = [];

  // SQLite rolls back by itself on some errors, such as a full disk. Later statements would then commit one by one.
  const inside = <T>(statement: () => T): T => {
    if (state.over) throw new Error("a transaction was used after its end: something in it is not awaited");
    if (state.lost) throw state.lost.error;
    try {
      return statement();
    } catch (error) {
      if (!connection.inTransaction) state.lost = { error };
      throw error;
    }
  };

  const endSavepoint = (savepoint: Savepoint, sql: string): void => {
    if (savepoints.pop() !== savepoint) {
      state.lost ??= { error: new Error("savepoints overlap: await one before the next begins") };
    }
    inside(() => savepoint.opened && connection.exec(sql));
  };

  let lastTurn = performance.now();
  let turn: Promise<void> | undefined;
  // Statements never wait, and 10,000 of them take seconds (TRUST-12). Those that come meanwhile keep their order.
  const inTurn = async <T>(statement: () => T): Promise<T> => {
    if (!turn && performance.now() - lastTurn > turnMs) {
      turn = setImmediate().then(() => {
        lastTurn = performance.now();
        turn = undefined;
      });
    }
    if (turn) await turn;
    return inside(statement);
  };

  let begun = 0;
  const run = <T>(sql: string, statement: () => T): Promise<T> =>
    inTurn(() => {
      if (!/^\s*SELECT\b/i.test(sql)) openAll(connection, savepoints);
      return statement();
    });
  const statements = {
    all: <T>(sql: string, params?: readonly SqlParam[]) => run(sql, () => connection.all<T>(sql, params)),
    get: <T>(sql: string, params?: readonly SqlParam[]) => run(sql, () => connection.get<T>(sql, params)),
    run: (sql: string, params?: readonly SqlParam[]) => run(sql, () => connection.run(sql, params)),
  };
  const tx: Tx = {
    ...statements,
    dialect: new SqliteDialect(statements),
    insertAtCommit: (table, row) => void inside(() => atCommit.push({ table, row })),
    savepoint: async (work) => {
      const before = atCommit.length;
      begun += 1;
      const name = `savepoint_${begun}`;
      const savepoint = { name, opened: false };
      await inTurn(() => savepoints.push(savepoint));
      try {
        const result = await work();
        endSavepoint(savepoint, `RELEASE ${name}`);
        return result;
      } catch (error) {
        atCommit.length = before;
        if (!state.lost) endSavepoint(savepoint, `ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      }
    },
  };

  return {
    tx,
    commit: () => {
      inside(() => {
        for (const { sql, params } of insertStatements(atCommit)) connection.run(sql, params);
      });
      state.over = true;
      connection.exec("COMMIT");
    },
    rollback: () => {
      state.over = true;
      if (connection.inTransaction) connection.exec("ROLLBACK");
    },
  };
}

function openAll(connection: Connection, savepoints: readonly Savepoint[]): void {
  for (const savepoint of savepoints) {
    if (savepoint.opened) continue;
    connection.exec(`SAVEPOINT ${savepoint.name}`);
    savepoint.opened = true;
  }
}
