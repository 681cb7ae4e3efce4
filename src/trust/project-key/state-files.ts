import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { careful, makeFolders } from "../../base/careful-files.ts";
import type { JsonObject } from "../../base/json.ts";

/** Of a file here. An agent can make it larger, and each command reads it. */
const maxBytes = 64 * 1024 ** 2;
/** Bytes of a file here. Always as many, so that one write replaces it in place: a new file takes 1 to 2 ms. */
const fileLength = 96;

/** Returns the value as a line of ASCII whose length is a multiple of `step` bytes, so that it can be replaced in place. */
export function padded(value: JsonObject, step: number = fileLength): string {
  // One character is one byte.
  const text = JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text.padEnd(Math.ceil((text.length + 1) / step) * step - 1)}\n`;
}

/** Replaces a file, in place where the length allows it. Does nothing where the folder cannot be written. */
export function write(file: string, text: string): void {
  if (!overwrite(file, text)) replaceFile(file, text);
}

/** Replaces the content of a file of the same length in one write; returns false for any other file. */
function overwrite(file: string, content: string): boolean {
  try {
    const handle = openSync(file, constants.O_WRONLY | careful);
    try {
      const found = fstatSync(handle);
      if (!found.isFile() || found.size !== content.length) return false;
      return writeSync(handle, content, 0) === content.length;
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}

/** Returns the content; null: no such file, or not a small one that can be read. */
export function read(file: string): string | null {
  try {
    const handle = openSync(file, constants.O_RDONLY | careful);
    try {
      return fstatSync(handle).size > maxBytes ? null : readFileSync(handle, "utf8");
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

/** Replaces a file by a new one. Returns false where the folder cannot be written. */
export function replaceFile(file: string, content: string): boolean {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    makeFolders(dirname(file));
    writeFileSync(temporary, content, { flag: "wx", mode: 0o600 });
    renameSync(temporary, file);
    return true;
  } catch {
    remove(temporary);
    return false;
  }
}

/** Removes a file if it is there. */
export function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was renamed, or never created.
  }
}
