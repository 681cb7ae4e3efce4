// The demo's scripted agent, a separate process that is driven like any agent. It keeps no state: it writes the right
// code only when its prompt contains the earlier failure.
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { makeFolders } from "../../../base/careful-files.ts";

const naiveCart = `export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
`;
const rightCart = `/** Three for two on apples. */
const paid = ({ name, count }) => (name === "apple" ? count - Math.floor(count / 3) : count);

export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * paid(item), 0);
}
`;
const receipt = `import { total } from "./cart.js";

export function receipt(items) {
  const lines = items.map(({ name, count }) => \`\${count} x \${name}\`);
  return [...lines, \`TOTAL \${(total(items) / 100).toFixed(2).padStart(10)}\`].join("\\n");
}
`;

function work(task: string, prompt: string): string {
  makeFolders("src", 0o777);
  if (task.endsWith("2")) {
    writeFileSync("src/receipt.js", receipt);
    return "The receipt prints each line and the total.";
  }
  const knowsOffer = prompt.includes("Previous Attempts") && prompt.includes("three apples cost two");
  writeFileSync("src/cart.js", knowsOffer ? rightCart : naiveCart);
  return knowsOffer
    ? "The last attempt forgot the offer: three apples cost two. The total counts it now."
    : "The cart adds up price times count.";
}

// No `await` here: the built program has no ES modules.
text(process.stdin).then((prompt) => {
  const task = process.argv[2] ?? "";
  const message = work(task, prompt);
  process.stdout.write(`${message}\n\n<task-done>${task}</task-done>\n`);
});
