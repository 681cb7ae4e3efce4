import type { CheckResult } from "../../outcome/outcome.ts";
import type { CleanContent } from "../../workspace/clean-tree.ts";

/** Where commands run. */
interface VerificationPlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** The setup commands that ran until one failed; empty: the place is ready. */
  readonly failedSetup: readonly CheckResult[];
}

interface CleanRequest {
  readonly content: CleanContent;
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
   * lock file or manifest changed.
   */
  prepare(request: CleanRequest): Promise<VerificationPlace>;
  /** Removes the tree. */
  remove(): Promise<void>;
}
