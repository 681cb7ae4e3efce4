import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { hashFile, sourceHash } from "../scripts/source-hash.mjs";
import { requireBuild } from "./require-build.ts";
import { removeTempRepositories, tempFolder } from "./temp-repository.ts";

afterEach(removeTempRepositories);

test("a dist/ that was not built from the present sources is refused; tests beside them do not count", () => {
  const root = tempFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const others = ["scripts/build.mjs", "scripts/mcp-shims.mjs", "package-lock.json"];
  for (const path of ["src/room/a.ts", "src/room/prompt.md", ...others]) write(path, "old\n");
  expect(() => requireBuild(root)).toThrow("dist/ is missing or incomplete: run `npm run build`");
  write(hashFile, sourceHash(root));
  requireBuild(root);
  write("src/room/a.test.ts", "new\n");
  requireBuild(root);
  for (const path of ["src/room/a.ts", "src/room/prompt.md", "src/room/b.ts", ...others]) {
    write(path, "new\n");
    expect(() => requireBuild(root)).toThrow("dist/ is older than src/: run `npm run build`");
    write(hashFile, sourceHash(root));
    requireBuild(root);
  }
});
