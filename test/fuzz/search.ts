import { RalphError } from "../../src/base/errors.ts";
import { fragments, shapes } from "./shapes.ts";

export type Parse = (text: string) => unknown;

/** Calls a parser; a RalphError is its answer. Returns the processor time in milliseconds. */
export async function cost(parse: Parse, text: string): Promise<number> {
  const before = process.cpuUsage();
  try {
    await parse(text);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

interface Worst {
  readonly name: string;
  readonly make: (length: number) => string;
  readonly ms: number;
}

/** The inputs of `length` that take a parser longest, the worst first: each fragment alone, then the worst with all others. */
export async function worstInputs(
  parse: Parse,
  { length, partners }: { readonly length: number; readonly partners: number },
): Promise<readonly Worst[]> {
  const found: Worst[] = [];
  const look = async (shape: string, a: string, b: string): Promise<void> => {
    const build = shapes[shape];
    if (!build) return;
    const make = (size: number): string => build(a, b, size);
    found.push({ name: `${shape}: ${JSON.stringify([a, b])}`, make, ms: await cost(parse, make(length)) });
  };
  for (const a of fragments) {
    for (const shape of ["repeated", "on lines", "indented ever deeper"]) await look(shape, a, "");
  }
  const worst = new Set(
    found
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, partners)
      .map(({ name }) => (JSON.parse(name.slice(name.indexOf("["))) as [string])[0]),
  );
  for (const a of worst) {
    for (const b of fragments) {
      for (const shape of ["opened, then closed", "alternating", "in one line, begun and ended"])
        await look(shape, a, b);
    }
  }
  return found.toSorted((one, other) => other.ms - one.ms);
}

/** A text that doubles may take twice as long and a little more; quadratic time takes four times as long. */
const maxGrowth = 3;
/** Milliseconds below which a measurement says nothing. */
const noiseMs = 40;

/** Returns why a parser's time grows faster than its input; undefined if it does not. Each finding is measured three times. */
export async function growsTooFast(
  parse: Parse,
  { name, make }: Worst,
  length: number,
): Promise<string | undefined> {
  let [once, twice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let n = 0; n < 3; n++) {
    twice = Math.min(twice, await cost(parse, make(2 * length)));
    if (twice < noiseMs) return undefined;
    once = Math.min(once, await cost(parse, make(length)));
    if (twice < maxGrowth * once) return undefined;
  }
  return `${name}: ${Math.round(once)} ms for ${length} characters, ${Math.round(twice)} ms for twice as many`;
}
