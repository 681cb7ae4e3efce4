import { isAbsolute, join, relative, resolve } from "node:path";

/** The value of `hivemind.store` for the program of that name. */
export const swarmStore = "swarm";

/** Returns the file that `hivemind.store` means; null for `off` and `swarm`. `data`: the user's data folder. */
export function hivemindPath(store: string, data: string): string | null {
  if (store === "off" || store === swarmStore) return null;
  const folder = join(data, "ralph");
  return store === "auto" ? join(folder, "hivemind.db") : resolve(folder, store);
}

/** Reports whether a file is in the folder `ralph` of the user's data folder. */
export function isInDataFolder(path: string, data: string): boolean {
  const inside = relative(join(data, "ralph"), path);
  return inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
}
