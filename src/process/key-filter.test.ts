import { describe, expect, test } from "vitest";
import { keyFilter } from "./key-filter.ts";

/** Runs the filter as the kernel does, on the number of a call and its architecture. */
function answer(filter: Buffer, architecture: number, call: number): number {
  let value = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const operand = filter.readUInt32LE(at + 4);
    const [ifTrue, ifFalse] = [filter.readUInt8(at + 2), filter.readUInt8(at + 3)];
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        value = operand === 4 ? architecture : call;
        break;
      case 0x54:
        value = (value & operand) >>> 0;
        break;
      case 0x15:
        at += 8 * (value === operand ? ifTrue : ifFalse);
        break;
      case 0x06:
        return operand;
    }
  }
  throw new Error("the filter has no end");
}

const allowed = 0x7fff0000;
const noSuchCall = 0x00050026;

describe("AGENT-4: calls for the kernel's keys", () => {
  test.each([
    ["x64", 0xc000003e, [248, 249, 250, 0x40000000 + 250], [0, 217, 247, 251, 286, 288]],
    ["x64", 0x40000003, [286, 287, 288], [0, 248, 250, 285, 289]],
    ["arm64", 0xc00000b7, [217, 218, 219], [0, 216, 220, 250, 309]],
    ["arm64", 0x40000028, [309, 310, 311, 0x40000000 + 311], [0, 217, 219, 308, 312]],
  ])("on %s, architecture %i", (processor, architecture, refused, others) => {
    const filter = keyFilter(processor) ?? Buffer.alloc(0);
    expect(refused.map((call) => answer(filter, architecture, call))).toEqual(refused.map(() => noSuchCall));
    expect(others.map((call) => answer(filter, architecture, call))).toEqual(others.map(() => allowed));
  });

  test("no filter is made where the numbers of the calls are not known", () => {
    expect(keyFilter("s390x")).toBeUndefined();
    expect(answer(keyFilter("x64") ?? Buffer.alloc(0), 0x12345678, 250)).toBe(allowed);
  });
});
