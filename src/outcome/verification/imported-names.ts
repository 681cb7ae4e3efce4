/** `import a, { b as c } from "x"`. */
const imports = /\bimport\s([^"'`;=()]{1,1000}?)\bfrom\s{0,9}["']([^"'\n]{1,500})["']/g;
/** `const { b: c } = await import("x")`, and the same with `require`. */
const required =
  /\b(?:const|let|var)\s([^"'`;=()]{1,1000})=\s{0,9}(?:await\s{1,9})?(?:require|import)\(\s{0,9}["']([^"'\n]{1,500})["']/g;
/** The name under which something is known after its import. */
const bound = /[\w$]+(?=\s*(?:[,}]|$))/g;

/** Returns the names that a script imports from modules that `isOwn` does not match. */
export function namesOfOthers(code: string, isOwn: RegExp): ReadonlySet<string> {
  const found = [...code.matchAll(imports), ...code.matchAll(required)];
  const others = found.filter(([, , module = ""]) => !isOwn.test(module));
  return new Set(others.flatMap(([, names = ""]) => names.match(bound) ?? []));
}
