import { openLiveMessages } from "../iteration/live-messages.ts";
import { openBackground } from "../rows/background.ts";
import type { Loop, LoopSetup, Run } from "../rows/loop.ts";
import type { Slot } from "../rows/slot.ts";
import { openCleanVerification } from "../tree/clean-verification.ts";
import { openMadeFiles } from "../tree/made-files.ts";
import { treeInPlace } from "../tree/tree-in-place.ts";

/** Opens what a run shares, and the one slot that works for it. */
export function openLoop(setup: LoopSetup): Loop {
  const { workspace, cleanFolder, ...given } = setup;
  const run: Run = { ...given, background: openBackground(setup), executed: new Set(), missing: new Set() };
  const made = openMadeFiles(setup);
  const slot: Slot = {
    ...{ workspace, cleanFolder, made },
    tree: treeInPlace({ ...run, workspace, made }),
    clean: openCleanVerification(setup),
    liveMessages: openLiveMessages(setup),
  };
  return { ...run, ...slot };
}
