/** The files of the practice repository's first commit: a till without code, and the tests that specify it. */
export const practiceFiles: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "corner-shop-till", "private": true, "type": "module", "scripts": { "test": "node --test" } }
`,
  "README.md": `# Corner-shop till

Prices are in cents. \`src/cart.js\` adds up a cart, \`src/receipt.js\` prints it.
`,
  "tasks.md": `## 1. Till

- [ ] 1.1 Add up a cart
- [ ] 1.2 Print a receipt
`,
  "test/cart.test.js": `import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";

test("a cart adds up, with three for two on apples", async () => {
  const { total } = await import("../src/cart.js");
  assert.equal(total([{ name: "bread", cents: 250, count: 2 }]), 500);
  assert.equal(total([{ name: "apple", cents: 40, count: 3 }]), 80, "three apples cost two");
});

test("a receipt ends with the total", { skip: !existsSync("src/receipt.js") }, async () => {
  const { receipt } = await import("../src/receipt.js");
  assert.match(receipt([{ name: "bread", cents: 250, count: 2 }]), /TOTAL +5\\.00$/);
});
`,
};
