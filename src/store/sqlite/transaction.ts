import { setImmediate } from "node:timers/promises";
import type { SqlParam, Tx } from "../db.ts";
import type { Connection } from "./connection.ts";
import { SqliteDialect } from "./sqlite-dialect.ts";

/** A `Tx` with the operations that only its owner may use. */
interface OpenTransaction {
  readonly tx: Tx;
  /** Commits; throws when the transaction is lost. */
  commit(): void;
  rollback(): void;
  readonly over: boolean;
}

/** Milliseconds of statements after which signals and timers have their turn. */
const turnMs = 100;

/** Wraps the transaction that `connection` has just begun. */
export function openTransaction(connection: Connection): OpenTransaction {
  const state: { over: boolean; lost: { readonly error: unknown } | undefined } = {
    over: false,
    lost: undefined,
  };
  const savepoints: string[] = [];

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

  const endSavepoint = (name: string, sql: string): void => {
    if (savepoints.pop() !== name) {
      state.lost ??= { error: new Error("savepoints overlap: await one before the next begins") };
    }
    inside(() => connection.exec(sql));
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
  const statements = {
    all: <T>(sql: string, params?: readonly SqlParam[]) => inTurn(() => connection.all<T>(sql, params)),
    get: <T>(sql: string, params?: readonly SqlParam[]) => inTurn(() => connection.get<T>(sql, params)),
    run: (sql: string, params?: readonly SqlParam[]) => inTurn(() => connection.run(sql, params)),
  };
  const tx: Tx = {
    ...statements,
    dialect: new SqliteDialect(statements),
    savepoint: async (work) => {
      begun += 1;
      const name = `savepoint_${begun}`;
      await inTurn(() => {
        connection.exec(`SAVEPOINT ${name}`);
        savepoints.push(name);
      });
      try {
        const result = await work();
        endSavepoint(name, `RELEASE ${name}`);
        return result;
      } catch (error) {
        if (!state.lost) endSavepoint(name, `ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      }
    },
  };

  return {
    tx,
    commit: () => {
      inside(() => undefined);
      state.over = true;
      connection.exec("COMMIT");
    },
    rollback: () => {
      state.over = true;
      if (connection.inTransaction) connection.exec("ROLLBACK");
    },
    get over() {
      return state.over;
    },
  };
}
