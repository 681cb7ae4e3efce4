import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { backUpStore } from "../../store/backups.ts";
import type { Db } from "../../store/port/db.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { backupFolder } from "../project/store-path.ts";

interface Backed {
  readonly root: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly notify: (text: SafeText) => void;
}

interface Backups {
  /** Ends the hourly backups with a last one. */
  close(): Promise<void>;
}

const everyMs = 3_600_000;

/** Backs up the run's store once an hour, and at its end (TRUST-8); a server has its own. A backup that fails is a warning. */
export function startBackups({ root, db, clock, notify }: Backed): Backups {
  if (!db.file) return { close: async () => undefined };
  const folder = backupFolder(root, db.location);
  const backUp = (): Promise<void> =>
    backUpStore(db.location, folder, clock.now()).catch((error: unknown) => {
      notify(
        safe`warning: cannot back up the store to ${safeLine(folder)}: ${safeLine(messageOf(error), 300)}`,
      );
    });
  const timer = setInterval(() => void backUp(), everyMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await backUp();
    },
  };
}
