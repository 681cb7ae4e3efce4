import type { ProjectKey } from "../../../trust/project-key.ts";
import { describeReplaced, isStoreReplaced } from "../../project/after-kill/replaced-store.ts";
import { type Check, warned } from "../check.ts";

interface Place {
  readonly path: string;
  readonly key: ProjectKey;
}

const hint =
  "any other command, such as `ralph task list`, puts back what ralph recorded and keeps these files; to take them, as after you restored a backup: `ralph doctor --repair`";

/**
 * Says of these checks of store and log what a repair would do where another file is in the store's place: it would take what a person
 * restored, and also what an agent committed to a branch.
 */
export function ofReplaced(checks: readonly Check[], { path, key }: Place): readonly Check[] {
  if (!isStoreReplaced(key, path)) return checks;
  const repaired = checks.map((one) => (one.hint?.includes("--repair") ? { ...one, hint } : one));
  return [warned({ check: "store", detail: describeReplaced(path) }, hint), ...repaired];
}
