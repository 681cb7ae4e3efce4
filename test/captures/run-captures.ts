// Reads recorded sessions of agents and compares the kind of error with what their names and facts imply:
//   npm run test:captures -- FOLDER
import { impliedKind, readCaptures } from "./capture.ts";
import { readCapture } from "./read-capture.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: npm run test:captures -- FOLDER\n");
  process.exit(2);
}

const table = new Map<string, { right: number; wrong: number }>();
const faults: string[] = [];
for (const capture of readCaptures(folder)) {
  const row = table.get(capture.format) ?? { right: 0, wrong: 0 };
  table.set(capture.format, row);
  const implied = impliedKind(capture) ?? "success";
  const read = [false, true].map((stderrFirst) => readCapture(capture, stderrFirst).error);
  const kinds = read.map((error) => error?.kind ?? "success");
  if (kinds.every((kind) => kind === implied)) row.right += 1;
  else {
    row.wrong += 1;
    const message = read[0]?.message ?? "";
    faults.push(`${capture.name}: ${[...new Set(kinds)].join(" or ")}, implied ${implied} (${message})`);
  }
}
const rows = [...table].map(
  ([format, { right, wrong }]) =>
    `${format.padEnd(20)}${String(right).padStart(6)}${String(wrong).padStart(7)}`,
);
process.stdout.write(`${["format               right  wrong", ...rows, ...faults].join("\n")}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
