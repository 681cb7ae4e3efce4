/** The beginning of an item in a list of spec-kit: `T012 [P] [US1] Write the parser`. */
interface SpecKitHead {
  readonly number: string;
  readonly tags: readonly string[];
  readonly title: string;
}

const maxHeadChars = 100;

/** Reads the id, and the marks behind it as tags; undefined for another item. */
export function specKitHead(text: string): SpecKitHead | undefined {
  const head = text.slice(0, maxHeadChars);
  const found =
    /^(?:\*\*|\[)?(T\d{3,9}[a-z]?)(?:\*\*|\])?[.:)]?((?:\s+\[(?:P|US\d{1,9})\])*)\s+(?:[-:]\s+)?(?=\S)/.exec(
      head,
    );
  const [all = "", number, marks = ""] = found ?? [];
  if (number === undefined) return undefined;
  const tags = Array.from(marks.matchAll(/\[(\w+)\]/g), ([, tag = ""]) => tag);
  return { number, tags, title: text.slice(all.length) };
}

const maxRange = 100;

/** Returns the ids in `(depends on T001, T003-T005)`; a number such as `1.2` is one where the list has it. */
export function statedBlockers(text: string, listed: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  for (const [, list = ""] of text.matchAll(/\((?:depends on|blocked by):?\s([^()]{1,300})\)/gi)) {
    for (const [id, first, last] of list.matchAll(
      /T(\d{3,9})\s?(?:-|–|to|through)\s?T(\d{3,9})|T\d{3,9}[a-z]?|\d+(?:\.\d+)+/g,
    )) {
      if (first !== undefined && last !== undefined) {
        const end = Math.min(Number(last), Number(first) + maxRange);
        for (let at = Number(first); at <= end; at++) found.add(`T${`${at}`.padStart(first.length, "0")}`);
      } else if (id.startsWith("T") || listed.has(id)) found.add(id);
    }
  }
  return [...found];
}
