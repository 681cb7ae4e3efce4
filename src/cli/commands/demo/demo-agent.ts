// The demo's scripted agent, a separate process that is driven like any agent. It keeps no state: it writes the right
// code only when its prompt contains the earlier failure. Its costs are invented.
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const receipt = `import { total } from "./cart.js";

/** Returns a run's cost per verified task, in all and by model, and what tasks cost that need a person, as one line; none: no cost is known. */
export function receipt(items) {
  const lines = items.map(({ name, count }) => \`\${count} x \${name}\`);
  return [...lines, \`TOTAL \${(total(items) / 100).toFixed(2).padStart(10)}\`].join("\\n");
}
`;
const offers = (free: string): string => `/** Three for two on apples. */
export const paid = (name, count) => (name === "apple" ? count - ${free} : count);
`;

function work(task: string, prompt: string): string {
  if (task.endsWith("1")) {
    writeFileSync("src/receipt.js", receipt);
    return "The receipt prints each line and the total.";
  }
  const knowsMore = prompt.includes("Previous Attempts") && prompt.includes("of six apples four are paid");
  writeFileSync("src/offers.js", offers(knowsMore ? "Math.floor(count / 3)" : "(count >= 3 ? 1 : 0)"));
  return knowsMore
    ? "The last attempt gave one apple away, however many were bought. Now every third is free."
    : "Who buys three apples gets one of them free.";
}

// No `await` here: the built program has no ES modules.
text(process.stdin).then((prompt) => {
  const task = process.argv[2] ?? "";
  const result = `${work(task, prompt)}\n\n<task-done>${task}</task-done>`;
  const event = { type: "result", subtype: "success", is_error: false, result, total_cost_usd: 0.04 };
  process.stdout.write(`${JSON.stringify(event)}\n`);
});
