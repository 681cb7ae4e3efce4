import type { HivemindSettings } from "../port/hivemind-settings.ts";
import type { HivemindBackend } from "./backend.ts";
import { fileBackend } from "./file-backend.ts";
import type { HivemindConnection } from "./hivemind-connection.ts";
import { swarmBackend } from "./swarm-backend.ts";

/** Returns where the records of a hivemind are kept. Without `connection` each call opens its file. */
export function backendOf(
  { path, swarm, project }: HivemindSettings,
  connection?: HivemindConnection,
): HivemindBackend {
  return swarm ? swarmBackend(swarm, project) : fileBackend(path, connection);
}
