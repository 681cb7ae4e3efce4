import type { VerifyCommand } from "../../base/verify-command.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import type { InputChange } from "../../outcome/verification-files.ts";
import type { CleanContent } from "../../workspace/clean-tree.ts";

/** Where commands run. */
interface VerificationPlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** The setup commands that ran until one failed; empty: the place is ready. */
  readonly failedSetup: readonly CheckResult[];
  /**
   * Puts back the tracked files that verification reads, and returns what its commands changed of these and of others since
   * the last call.
   */
  undoChanges(): Promise<readonly UndoneChange[]>;
}

/** A change by a command of verification to what the later ones read. */
export interface UndoneChange extends InputChange {
  /** Absent: false. */
  readonly isUndone?: boolean;
}

interface CleanRequest {
  readonly content: CleanContent;
  /** The commands that verify in it. */
  readonly commands: readonly VerifyCommand[];
  /** By which the processes that a setup command leaves running are found and killed. */
  readonly marker: string;
  readonly tmpDir: string;
  readonly onStart?: (command: string) => void;
  readonly onEnd?: (result: CheckResult) => void;
}

/** The separate work tree of `verifyGuard: clean` (LOOP-18). */
export interface CleanVerification {
  /**
   * Makes the tree hold exactly this content and what the setup commands made. These run the first time, and again when a
   * lock file, a manifest or what they installed changed.
   */
  prepare(request: CleanRequest): Promise<VerificationPlace>;
  /** Removes the tree. */
  remove(): Promise<void>;
}
