import { fixed, type SafeOrFixed, type SafeText, safe } from "../base/safe-text.ts";

/** ANSI styles by meaning. Output never relies on colour alone. */
const codes = { good: 32, bad: 31, warn: 33, dim: 2, bold: 1, info: 36 } as const;

export type Style = keyof typeof codes;
export type Paint = <const T extends string>(style: Style, text: SafeOrFixed<T>) => SafeText;

/** Returns a painter, which leaves text unchanged without colour. */
export function painter(colour: boolean): Paint {
  return <const T extends string>(style: Style, text: SafeOrFixed<T>) => {
    const plain = fixed<T>(text);
    return colour && plain !== "" ? safe`\u001b[${codes[style]}m${plain}\u001b[0m` : plain;
  };
}
