import { safe } from "../../src/base/safe-text.ts";
import { fence } from "../../src/trust/fence.ts";
import { storedText } from "../../src/trust/stored-text.ts";
import type { Finding } from "./finding.ts";

/** No text closes its fence, not even one that knows the seed and repeats the fence's own lines. */
export function checkFences(texts: readonly string[]): Finding {
  const bad = texts.filter((text) => {
    const plain = fence(storedText(text), "run/1");
    return (
      plain.split("</data-").length !== 2 ||
      fence(safe`${plain}\n${storedText(text)}`, "run/1").split("</data-").length !== 2
    );
  });
  return { passed: bad.length === 0, figures: `${texts.length} texts, ${bad.length} escaped`, details: bad };
}
