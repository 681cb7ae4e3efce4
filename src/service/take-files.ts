import { closeSync, fstatSync, openSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { opendir, rename } from "node:fs/promises";
import { join } from "node:path";
import { carefulRead, lookAt } from "../base/careful-files.ts";
import { answerFile, maxRequestBytes, requestFile } from "./protocol.ts";

const pollMs = 100;
/** Entries that one look reads: an agent may write any number of files there. */
const maxEntries = 256;

/** Answers requests that clients leave as files in `folder`, until it is stopped or another folder takes its place. */
export function takeFiles(
  folder: string,
  respond: (line: string) => Promise<string>,
): { readonly stop: () => void } {
  const inode = lookAt(folder)?.ino;
  const isOurs = (): boolean => lookAt(folder)?.ino === inode;
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (const id of isOurs() ? await requestsIn(folder) : []) {
        const answer = await respond(take(join(folder, `${id}.request`)));
        if (isOurs()) await put(folder, id, answer);
      }
    } catch {
      // The agent may remove or close the folder, or fill the disk: its client then waits in vain.
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void look(), pollMs).unref();
  return { stop: () => clearInterval(timer) };
}

async function requestsIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  let seen = 0;
  for await (const { name } of await opendir(folder)) {
    const id = requestFile.exec(name)?.[1];
    if (id !== undefined) found.push(id);
    if (++seen >= maxEntries) break;
  }
  return found;
}

/** Reads a request and removes it; "" if it is too large or no regular file. */
function take(path: string): string {
  try {
    const file = openSync(path, carefulRead);
    try {
      const stats = fstatSync(file);
      return stats.isFile() && stats.size <= maxRequestBytes ? readFileSync(file, "utf8") : "";
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  } finally {
    unlinkSync(path);
  }
}

async function put(folder: string, id: string, answer: string): Promise<void> {
  const part = join(folder, `${id}.part`);
  writeFileSync(part, answer, { flag: "wx", mode: 0o600 });
  await rename(part, join(folder, answerFile(id)));
}
