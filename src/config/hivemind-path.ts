import { isAbsolute, join, relative, resolve } from "node:path";

/** Returns the file that `hivemind.store` means; null for `off`. `data`: the user's data folder. */
export function hivemindPath(store: string, data: string): string | null {
  if (store === "off") return null;
  const folder = join(data, "ralph");
  return store === "auto" ? join(folder, "hivemind.db") : resolve(folder, store);
}

/** Reports whether a file is in the folder `ralph` of the user's data folder. */
export function isInDataFolder(path: string, data: string): boolean {
  const inside = relative(join(data, "ralph"), path);
  return inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
}
