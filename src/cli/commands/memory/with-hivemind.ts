import { RalphError } from "../../../base/errors.ts";
import { openHivemindActions } from "../../../memory/hivemind-actions.ts";
import { hivemindOf } from "../../project/hivemind-of.ts";
import type { Project, Session } from "../../shell/command.ts";

/**
 * Opens the actions on the memory that projects share.
 *
 * @throws RalphError `RALPH_HIVEMIND_OFF`
 */
export async function hivemindActions(
  session: Session,
  project: Project,
): Promise<Awaited<ReturnType<typeof openHivemindActions>>> {
  const hivemind = hivemindOf(project);
  if (hivemind === null) {
    throw new RalphError("RALPH_HIVEMIND_OFF", "the hivemind is off: hivemind.store is off or not approved", {
      hint: "run `ralph config show` and `ralph trust show` to see why",
    });
  }
  return openHivemindActions({ db: project.db, hivemind, now: () => session.clock.now() });
}
