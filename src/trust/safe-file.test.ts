import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { RalphError } from "../base/errors.ts";
import { temporaryName } from "../base/temporary-files.ts";
import { makePrivateFolder, writeFileSafely } from "./safe-file.ts";

let top: string;
let root: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ralph-safe-")));
  root = join(top, "root");
  mkdirSync(root);
  mkdirSync(join(top, "outside"));
  writeFileSync(join(top, "outside", "victim"), "untouched");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

async function codeOf(work: Promise<void>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof RalphError ? error.code : `no RalphError: ${String(error)}`;
}

describe("TRUST-6: writing", () => {
  test("TRUST-6: a new file is 0600 in new folders 0700, an existing one keeps its mode", async () => {
    const file = join(root, "a", "b", "file");
    await writeFileSafely(file, "one", { root });
    expect([mode(file), mode(join(root, "a")), mode(join(root, "a", "b"))]).toEqual([0o600, 0o700, 0o700]);
    chmodSync(file, 0o755);
    await writeFileSafely(file, new Uint8Array([0x74, 0x77, 0x6f]), { root });
    expect([readFileSync(file, "utf8"), mode(file)]).toEqual(["two", 0o755]);
    await writeFileSafely(join(root, "public"), "x", { root, mode: 0o644 });
    expect(mode(join(root, "public"))).toBe(0o644);
    expect(readdirSync(join(root, "a", "b"))).toEqual(["file"]);
  });

  test("TRUST-6: whoever holds the old file open goes on reading it whole", async () => {
    const file = join(root, "file");
    writeFileSync(file, "old");
    linkSync(file, join(root, "same"));
    await writeFileSafely(file, "new", { root });
    expect(readFileSync(join(root, "same"), "utf8")).toBe("old");
  });

  test("TRUST-6: a root that is itself reached through a link is fine", async () => {
    symlinkSync(root, join(top, "alias"));
    await writeFileSafely(join(top, "alias", "x", "file"), "data", { root: join(top, "alias") });
    await writeFileSafely(join(root, "y"), "more", { root: join(top, "alias") });
    expect(["x/file", "y"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["data", "more"]);
  });
});

describe("TRUST-6: refusing", () => {
  const write = (path: string): Promise<void> => writeFileSafely(path, "evil", { root });

  test.each([
    "../outside/victim",
    "../../etc/passwd",
    "a/../../outside/victim",
    "..",
    ".",
    "",
    "/etc/ralph-test",
    "a\0b",
    "a/b/../../../outside/new",
  ])("TRUST-6: %j leads out of the root", async (path) => {
    const target = path.startsWith("/") ? path : `${root}/${path}`;
    expect(await codeOf(write(target))).toBe("RALPH_PATH_OUTSIDE");
    expect(readFileSync(join(top, "outside", "victim"), "utf8")).toBe("untouched");
    expect(readdirSync(join(top, "outside"))).toEqual(["victim"]);
  });

  test("TRUST-6: through a link, also a dangling one", async () => {
    symlinkSync(join(top, "outside", "victim"), join(root, "file"));
    symlinkSync(join(top, "outside"), join(root, "folder"));
    symlinkSync(join(top, "outside", "new"), join(root, "dangling"));
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "inside"));
    for (const path of ["file", "folder/victim", "folder/new/deep", "dangling", "inside/x"]) {
      expect([path, await codeOf(write(join(root, path)))]).toEqual([path, "RALPH_PATH_SYMLINK"]);
    }
    expect(readFileSync(join(top, "outside", "victim"), "utf8")).toBe("untouched");
    expect(readdirSync(join(top, "outside"))).toEqual(["victim"]);
    expect(await codeOf(makePrivateFolder(join(root, "folder"), { root }))).toBe("RALPH_PATH_SYMLINK");
  });

  test("TRUST-6 UX-4: a folder that cannot be made is named itself, and no file in it", async () => {
    symlinkSync(join(top, "outside"), join(root, "link"));
    writeFileSync(join(root, "file"), "");
    const messageOf = (path: string, inside = root) =>
      makePrivateFolder(path, { root: inside }).catch((error: RalphError) => error.message);
    for (const [name, why] of [
      ["link", /^it is a symbolic link/],
      ["file", /^it is not a folder$/],
      ["file/below", new RegExp(`^${join(root, "file")} is not a folder$`)],
    ] as const) {
      const [what, reason = ""] = String(await messageOf(join(root, name))).split(/: (.*)/);
      expect(what).toBe(`cannot write ${join(root, name)}`);
      expect(reason).toMatch(why);
    }
    if (process.platform !== "linux") return;
    expect(await messageOf("/proc/ralph", "/proc")).toMatch(/^cannot write \/proc\/ralph: \w/);
  });

  test("TRUST-6: to a socket or a folder", async () => {
    const server = createServer();
    await new Promise<void>((listening) => void server.listen(join(root, "socket"), listening));
    onTestFinished(() => void server.close());
    mkdirSync(join(root, "folder"));
    writeFileSync(join(root, "file"), "");
    for (const path of ["socket", "folder", "file/below"]) {
      expect([path, await codeOf(write(join(root, path)))]).toEqual([path, "RALPH_PATH_NOT_A_FILE"]);
    }
  });

  test("TRUST-8: a write that fails leaves the old file and no temporary one", async () => {
    const file = join(root, "file");
    writeFileSync(file, "old");
    const tooLong = join(root, "n".repeat(300));
    expect(await codeOf(writeFileSafely(tooLong, "x", { root }))).toBe("RALPH_FILE_WRITE");
    const dataThatFails = { byteLength: 1 } as unknown as Uint8Array;
    expect(await codeOf(writeFileSafely(file, dataThatFails, { root }))).toBe("RALPH_FILE_WRITE");
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(root)).toEqual(["file"]);
  });
});

test("TRUST-6: of many writers at once one wins whole", async () => {
  const file = join(root, "file");
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(10_000));
  await Promise.all(texts.map((text) => writeFileSafely(file, text, { root })));
  expect(texts).toContain(readFileSync(file, "utf8"));
  expect(readdirSync(root)).toEqual(["file"]);
});

test("LOOP-11: what a process killed at a rename left is removed at the next write, of a running one not", async () => {
  const used = temporaryName();
  const left = used.replace(`-${process.pid}-`, "-4194304-");
  const elsewhere = left.replace(/-[0-9a-f]{8}-/, "-00000000-");
  for (const name of [used, left, elsewhere, ".ralph-mine.tmp"]) writeFileSync(join(root, name), "half");
  await writeFileSafely(join(root, "a.txt"), "whole", { root });
  expect(readdirSync(root).sort()).toEqual([used, elsewhere, ".ralph-mine.tmp", "a.txt"].sort());
});
