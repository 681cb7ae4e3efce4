import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Lesson {
  readonly text: string;
  readonly category?: string;
  readonly tags?: readonly string[];
}

interface FamilyTask {
  readonly title: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
}

/** Tasks that need the same lesson, in the order in which they come up. */
export interface Family {
  readonly family: string;
  readonly error: string;
  readonly lesson: Lesson;
  readonly tasks: readonly FamilyTask[];
}

export interface Folder {
  readonly families: readonly Family[];
  readonly noise: readonly Lesson[];
  readonly misleading: readonly (Lesson & { readonly family: string })[];
}

/** Reads a folder in the layout of `README.md` here. Throws with file and line when it is another. */
export function readFolder(folder: string): Folder {
  return {
    families: readLines<Family>(join(folder, "families.jsonl")),
    noise: readLines<Lesson>(join(folder, "noise.jsonl")),
    misleading: readLines<Lesson & { family: string }>(join(folder, "misleading.jsonl")),
  };
}

function readLines<T>(file: string): readonly T[] {
  if (!existsSync(file)) throw new Error(`${file} is missing: see bench/learning/README.md`);
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as T];
    } catch (cause) {
      throw new Error(`${file}:${index + 1} is no JSON`, { cause });
    }
  });
}
