import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { knownError } from "../../trust/safe-file.ts";
import { exitCodeOf } from "./exit.ts";
import { describeError } from "./print-error.ts";

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return knownError(error);
  }
  throw new Error("nothing was thrown");
}

const plain = { json: false, verbose: false };

test.skipIf(!existsSync("/dev/full"))("LOOP-14: a full disk is the environment, whoever met it", () => {
  const error = thrown(() => writeFileSync("/dev/full", "x"));
  expect(describeError(error, plain)).toMatch(
    /^error: cannot write a file: the disk is full\nhint: Free some space/,
  );
  expect(exitCodeOf(error)).toBe(5);
});

test("LOOP-14 UX-2: a disk that cannot be read is the environment, and nobody is said to have written", () => {
  const error = thrown(() => {
    throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
  });
  expect(describeError(error, plain)).toMatch(
    /^error: cannot read a file: the disk reported an error\nhint: Check the disk/,
  );
  expect(exitCodeOf(error)).toBe(5);
});

test("LOOP-14: a missing folder for temporary files is the environment, any other missing file a bug", () => {
  const error = thrown(() => mkdtempSync("/nowhere/ralph-"));
  expect(describeError(error, plain)).toMatch(/^error: cannot write \/nowhere\/ralph-.*\nhint: /);
  expect(exitCodeOf(error)).toBe(5);
  expect(exitCodeOf(thrown(() => writeFileSync("/nowhere/file", "x")))).toBe(70);
});

test("LOOP-14: a folder that the system does not let ralph create is the environment", () => {
  const error = thrown(() => {
    // Thrown by mkdirSync with `recursive` where the file system is read-only: Node.js hides the reason.
    throw Object.assign(new Error("ENOENT"), { code: "ENOENT", syscall: "mkdir", path: "/read-only/folder" });
  });
  expect(describeError(error, plain)).toMatch(/^error: cannot write \/read-only\/folder: .*\nhint: /);
  expect(exitCodeOf(error)).toBe(5);
});
