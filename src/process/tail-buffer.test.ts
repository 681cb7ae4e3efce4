import fc from "fast-check";
import { expect, test } from "vitest";
import { tailBuffer } from "./tail-buffer.ts";

test("what fits is kept as it came, a character cut between chunks too", () => {
  const buffer = tailBuffer({ headBytes: 5, tailBytes: 5 });
  for (const byte of Buffer.from("aé😀bc")) buffer.push(Uint8Array.of(byte));
  expect(buffer.text()).toBe("aé😀bc");
  expect(buffer.dropped()).toBe(0);
});

test("of more, head and tail are kept and the rest is counted", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 })),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (sizes, headBytes, tailBytes) => {
        const buffer = tailBuffer({ headBytes, tailBytes });
        let all = "";
        for (const size of sizes) {
          const chunk = Array.from({ length: size }, (_, i) =>
            String.fromCharCode(97 + ((all.length + i) % 26)),
          );
          all += chunk.join("");
          buffer.push(Buffer.from(chunk.join("")));
        }
        const left = all.length - headBytes - tailBytes;
        const head = all.slice(0, headBytes);
        const cut = `${head === "" ? "" : `${head}\n`}[… ${left} bytes left out]\n${all.slice(-tailBytes)}`;
        expect(buffer.text()).toBe(left > 0 ? cut : all);
        expect(buffer.dropped()).toBe(Math.max(0, left));
      },
    ),
  );
});

test("no half character stands at a cut", () => {
  const buffer = tailBuffer({ headBytes: 3, tailBytes: 3 });
  buffer.push(Buffer.from("é😀 in between 😀é"));
  expect(buffer.text()).toMatch(/^é\n\[… \d+ bytes left out\]\né$/);
});
