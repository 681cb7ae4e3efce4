import { sha256 } from "../../../base/hash.ts";
import { clip } from "../../../base/text.ts";
import { redactedText } from "../../../trust/safe-text.ts";

const maxKeyChars = 200;
/** No task has a longer title; of a longer heading, the key holds a hash. */
const maxTitleChars = 1000;

/** Returns the key of an entry without an id. The key is stored, so it holds no secret of the title. */
export function textKey(parentKey: string | null, title: string): string {
  const rest = title.length > maxTitleChars ? sha256(title) : "";
  const text = `${redactedText(title.slice(0, maxTitleChars)).normalize("NFC").toLowerCase()}${rest}`;
  const key = parentKey === null ? text : `${parentKey} / ${text}`;
  return key.length <= maxKeyChars ? key : `${clip(key, maxKeyChars)}${sha256(key).slice(0, 16)}`;
}

/** Returns the key, with a number if it was `seen`: equal texts differ by their order. */
export function distinct(key: string, seen: Map<string, number>): string {
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times === 1 ? key : distinct(`${key} #${times}`, seen);
}
