import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RalphError } from "../../src/base/errors.ts";
import { writeFileSafely } from "../../src/trust/safe-file.ts";
import { slug } from "../../src/trust/safe-name.ts";
import type { Finding } from "./finding.ts";

/** Every line as a name and as a path: slugs are safe, and no write gets outside the folder or through a link. */
export async function checkPaths(content: string): Promise<Finding> {
  const names = content.split("\n").filter((line) => line !== "");
  const details = names.filter((name) => !/^[a-z0-9-]{1,64}$/.test(slug(name)));
  const slugs = new Set(names.map(slug)).size;
  if (slugs < new Set(names).size) details.push("two names have the same slug");

  const top = mkdtempSync(join(tmpdir(), "ralph-corpora-"));
  try {
    const root = join(top, "a", "b", "root");
    const outside = join(top, "outside");
    mkdirSync(root, { recursive: true });
    mkdirSync(outside);
    writeFileSync(join(outside, "victim"), "untouched");
    for (const link of ["etc", "windows", "boot.ini"]) symlinkSync(outside, join(root, link));
    const { written, refused } = await writeAll(root, names, details);
    const around = [top, join(top, "a"), join(top, "a", "b"), outside].flatMap((folder) =>
      readdirSync(folder),
    );
    if (around.join() !== "a,outside,b,root,victim") details.push(`there is now: ${around.join()}`);
    if (readFileSync(join(outside, "victim"), "utf8") !== "untouched")
      details.push("the file outside was changed");
    return {
      passed: details.length === 0,
      figures: `${names.length} names, ${slugs} slugs; ${written} written inside, ${refused} refused`,
      details,
    };
  } finally {
    rmSync(top, { recursive: true });
  }
}

async function writeAll(
  root: string,
  names: readonly string[],
  details: string[],
): Promise<{ readonly written: number; readonly refused: number }> {
  let written = 0;
  let refused = 0;
  for (const name of names) {
    try {
      // Only where a file goes is checked: thousands of waits for the disk and listings of one growing folder take minutes.
      await writeFileSafely(`${root}/${name}`, "evil", { root, durable: false, tidy: false });
      written++;
    } catch (error) {
      if (!(error instanceof RalphError)) details.push(`${name}: ${String(error)}`);
      refused++;
    }
  }
  return { written, refused };
}
