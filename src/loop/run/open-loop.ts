import { openChoosing } from "../iteration/choose-ahead.ts";
import { openLiveMessages } from "../iteration/live-messages.ts";
import { openBackground } from "../rows/background.ts";
import { stepWriter } from "../rows/current-step.ts";
import type { Loop, LoopSetup } from "../rows/loop.ts";
import { openByproducts } from "../tree/byproducts.ts";
import { openCleanVerification } from "../tree/clean-verification.ts";
import { switchTreeToTask } from "../tree/switch-tree-to-task.ts";

/** Opens what a run shares, and the slot that works in the project's own tree. */
export function openLoop(setup: LoopSetup): Loop {
  const run = {
    ...setup,
    adopted: { texts: new Map<string, string>(), growths: 0, waiting: [] as readonly string[] },
    background: openBackground(),
    choosing: openChoosing(),
    executed: new Set<string>(),
    missing: new Set<string>(),
    warnedOf: new Set<string>(),
    steps: stepWriter(setup),
    liveMessages: openLiveMessages(setup),
    byproducts: openByproducts(setup),
    landing: null,
  };
  return {
    ...run,
    tree: { open: (task) => switchTreeToTask(run, task) },
    clean: openCleanVerification(setup),
  };
}
