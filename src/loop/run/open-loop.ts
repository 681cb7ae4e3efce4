import { openLiveMessages } from "../iteration/live-messages.ts";
import { openBackground } from "../rows/background.ts";
import type { Loop, LoopSetup, Run } from "../rows/loop.ts";
import type { Slot } from "../rows/slot.ts";
import { openByproducts } from "../tree/byproducts.ts";
import { openCleanVerification } from "../tree/clean-verification.ts";
import { treeInPlace } from "../tree/tree-in-place.ts";

/** Opens what a run shares, and the one slot that works for it. */
export function openLoop(setup: LoopSetup): Loop {
  const { workspace, cleanFolder, ...given } = setup;
  const known = { executed: new Set<string>(), missing: new Set<string>(), warnedOf: new Set<string>() };
  const run: Run = { ...given, ...known, background: openBackground() };
  const byproducts = openByproducts(setup);
  const slot: Slot = {
    ...{ workspace, cleanFolder, byproducts },
    tree: treeInPlace({ ...run, workspace, byproducts }),
    clean: openCleanVerification(setup),
    liveMessages: openLiveMessages(setup),
  };
  return { ...run, ...slot };
}
