/** ANSI styles by meaning. Output never relies on colour alone. */
const codes = { good: 32, bad: 31, warn: 33, dim: 2, bold: 1, info: 36 } as const;

export type Style = keyof typeof codes;
export type Paint = (style: Style, text: string) => string;

/** Returns a painter, which leaves text unchanged without colour. */
export function painter(colour: boolean): Paint {
  return (style, text) => (colour && text !== "" ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}
