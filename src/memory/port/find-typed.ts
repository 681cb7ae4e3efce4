import { tagList, withoutQuotes } from "../../search/query.ts";
import type { FindRequest } from "./kind-commands.ts";

type Words = Pick<FindRequest, "text" | "tags" | "limit">;

/**
 * Finds by typed words: a list of tags finds what has all of them; without such a memory, and for all other text, words are searched. A
 * single word also finds what has it as a tag.
 */
export async function findTyped<T>(
  { text, tags, limit }: Words,
  find: (asked: Words) => Promise<readonly T[]>,
  idOf: (found: T) => string,
): Promise<readonly T[]> {
  const asked = tagList(text);
  const tagged = asked ? await find({ text: "", tags: [...tags, ...asked], limit }) : [];
  if (tagged.length > 0) return tagged;
  const byWords = await find({ text, tags, limit });
  const word = withoutQuotes(text);
  if (byWords.length >= limit || word === "" || /\s/.test(word)) return byWords;
  const known = new Set(byWords.map(idOf));
  const more = await find({ text: "", tags: [...tags, word], limit });
  return [...byWords, ...more.filter((one) => !known.has(idOf(one)))].slice(0, limit);
}
