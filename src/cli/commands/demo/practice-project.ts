/** The files of the practice repository's first commit: a till that adds up, and the tests that specify what it lacks. */
export const practiceFiles: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "corner-shop-till", "private": true, "type": "module", "scripts": { "test": "node --test" } }
`,
  "README.md": `# Corner-shop till

Prices are in cents. \`src/cart.js\` adds up a cart, \`src/receipt.js\` prints it, and \`src/offers.js\` says how many must be paid.
`,
  "tasks.md": `## 1. Till

- [ ] 1.1 Print a receipt
- [ ] 1.2 Three apples for the price of two
`,
  "src/cart.js": `export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
`,
  "test/till.test.js": `import { existsSync } from "node:fs";
import { test } from "node:test";
import { total } from "../src/cart.js";

const bread = { name: "bread", cents: 250, count: 2 };
const same = (got, expected) => {
  if (got !== expected) throw \`expected \${expected}, got \${got}\`;
};

test("a cart adds up", () => same(total([bread]), 500));

test("a receipt ends with the total", { skip: !existsSync("src/receipt.js") }, async () => {
  const { receipt } = await import("../src/receipt.js");
  same(/TOTAL +5\\.00$/.test(receipt([bread])), true);
});

test("of six apples four are paid", { skip: !existsSync("src/offers.js") }, async () => {
  const { paid } = await import("../src/offers.js");
  same(paid("apple", 3), 2);
  same(paid("apple", 6), 4);
});
`,
};
