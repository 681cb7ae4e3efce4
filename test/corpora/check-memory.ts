import { isDeepStrictEqual } from "node:util";
import { type Effects, type Field, hostileField } from "../e2e/hostile-memory.ts";
import type { Finding } from "./finding.ts";

const atOnce = 2;

/** Every text in every kind of memory: later iterations, their verdicts and another project's are as with a harmless text. */
export async function checkMemory(texts: readonly string[]): Promise<Finding> {
  const field = await hostileField();
  try {
    const { effects } = await field.plant("The parser of dates needs a blank line at the end of the ledger.");
    const waiting = [...new Set(texts)].filter((text) => text.trim() !== "");
    const found: Found = { details: [], sections: 0, unseen: 0 };
    const count = waiting.length;
    const work = async (): Promise<void> => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift())
        await plantOne(field, { text, harmless: effects, found });
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return {
      passed: found.details.length === 0 && found.unseen === 0,
      figures: `${count} texts planted, shown in ${(found.sections / count).toFixed(1)} of 8 sections each, ${found.unseen} never shown; ${found.details.length} changed an iteration`,
      details: found.details,
    };
  } finally {
    field.remove();
  }
}

interface Found {
  readonly details: string[];
  sections: number;
  unseen: number;
}

async function plantOne(
  field: Field,
  { text, harmless, found }: { readonly text: string; readonly harmless: Effects; readonly found: Found },
): Promise<void> {
  const { effects, shownIn } = await field.plant(text);
  found.sections += shownIn.length;
  if (shownIn.length === 0) found.unseen += 1;
  const names = Object.keys(effects) as (keyof Effects)[];
  const changed = names.filter((name) => !isDeepStrictEqual(effects[name], harmless[name]));
  if (changed.length > 0) found.details.push(`${changed.join()}: ${text}`);
}
