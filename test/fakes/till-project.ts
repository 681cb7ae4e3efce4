import type { WorkerScript } from "./worker-script.ts";

/** A small library whose checks each task extends, and six tasks with sub-tasks for it. */
export const tillFiles: Readonly<Record<string, string>> = {
  "README.md": "# The till\n",
  "check.mjs": `import { readdirSync } from "node:fs";
console.log("TAP version 13");
let n = 0;
let failed = 0;
for (const file of readdirSync("checks").sort()) {
  for (const [name, run, expected] of (await import(\`./checks/\${file}\`)).default) {
    n += 1;
    const [is, should] = [run(), expected].map((value) => JSON.stringify(value));
    console.log(\`\${is === should ? "ok" : "not ok"} \${n} - \${name}\`);
    if (is === should) continue;
    failed += 1;
    console.log(\`  ---\\n  location: 'checks/\${file}'\\n  error: |-\\n    Expected \${should}, got \${is}\\n  ...\`);
  }
}
console.log(\`1..\${n}\`);
process.exitCode = failed === 0 ? 0 : 1;
`,
  "checks/money.mjs": `import { money } from "../money.mjs";
export default [
  ["prints whole euros", () => money(200), "2.00"],
  ["prints cents", () => money(5), "0.05"],
];
`,
  "money.mjs": "export const money = (cents) => (cents / 100).toFixed(2);\n",
  "tasks.md": `# The till

A receipt is a list of lines \`{ name, cents, count }\`. Prices are whole cents, in and out: no function returns a fraction
of a cent. Each function has a file of its own, exports nothing else and changes none of its arguments. Every task adds
its checks to a file in \`checks/\`, in the style of \`checks/money.mjs\`; \`node check.mjs\` runs them all. Do not touch
\`money.mjs\`, which the label printer uses too. No dependencies.

## Sums

- [ ] 1 Add up a receipt

  \`sum(lines)\` is what the customer pays before discounts.

  - [ ] 1.1 Sum the prices
  - [ ] 1.2 Multiply by the count
- [ ] 2 Take off a discount

  \`discount(cents, percent)\` is the price after it. Half a cent goes to the customer.

  - [ ] 2.1 Subtract the percentage
  - [ ] 2.2 Refuse more than 100 percent
- [ ] 3 Split a bill evenly

  \`split(cents, people)\` gives each person's share; the shares differ by one cent at most and add up.

## Output

- [ ] 4 Print a receipt

  - [ ] 4.1 A line for each article
  - [ ] 4.2 The total beneath a rule
- [ ] 5 Read receipts from JSON
- [ ] 6 Document the till

  - [ ] 6.1 Each function with an example
  - [ ] 6.2 How to run the checks
`,
};

const sum = (body: string): string => `export const sum = (lines) => lines.reduce((all, line) => ${body});\n`;
const sumChecks = (more = ""): string => `import { sum } from "../sum.mjs";
export default [
  ["an empty receipt", () => sum([]), 0],
  ["adds prices", () => sum([{ cents: 2, count: 1 }, { cents: 3, count: 1 }]), 5],
${more}];
`;
const discount = (body: string): string => `export const discount = (cents, percent) => ${body};\n`;
const discountChecks = `import { discount } from "../discount.mjs";
export default [
  ["a tenth off", () => discount(100, 10), 90],
  ["half a cent goes to the customer", () => discount(5, 10), 4],
];
`;
const split = (note: string): string =>
  `// ${note}\nexport const split = (cents, people) => Array(people).fill(Math.round(cents / people));\n`;
const splitChecks = `import { split } from "../split.mjs";
const shares = (cents, people) => split(cents, people);
export default [
  ["splits evenly", () => shares(9, 3), [3, 3, 3]],
  ["the first ones pay the rest", () => shares(11, 3), [4, 4, 3]],
  ["nothing is lost", () => shares(10, 3).reduce((a, b) => a + b), 10],
];
`;
/** The id of "3 Split a bill evenly": only numbers with a dot are ids. */
export const splitTask = "t-b32221";
const done = "<task-done>{id}</task-done>";
const crash = [
  "file:///srv/agent/run.mjs:40",
  "  const [tool] = reply.tools;",
  "                       ^",
  "",
  "TypeError: Cannot read properties of undefined (reading 'tools')",
  "    at step (file:///srv/agent/run.mjs:40:24)",
  "    at async file:///srv/agent/run.mjs:71:3",
  "",
  "Node.js v20.20.2",
].join("\n");

/** Does the tasks as agents do: wrong, half, not at all, against a limit, and then right. A step for each session. */
export const tillWorker: WorkerScript = {
  prompts: "../prompts",
  calls: "../calls",
  "1.1": [
    {
      write: { "sum.mjs": sum("all * line.cents, 1"), "checks/sum.mjs": sumChecks() },
      say: `I wrote sum() with reduce() and two checks. All checks should pass now.\n\n<difficulty-estimate>easy</difficulty-estimate>\n${done}`,
    },
    {
      say: "The start value and the operator are wrong.\n\n<failure-report>\nwhat_tried: read the two failing checks\nwhy_failed: ran out of turns before the change\nrelevant_files: sum.mjs\n</failure-report>\n<retry-suggestion>Add instead of multiplying, from 0 on.</retry-suggestion>\n<task-failed>{id}</task-failed>",
    },
    {
      write: { "sum.mjs": sum("all + line.cents, 0") },
      say: `sum() adds from 0 on.\n\n<learning category="testing_strategy" tags="checks">check.mjs compares by JSON, so NaN and null pass for each other: check numbers with an exact expected value in checks/sum.mjs.</learning>\n${done}`,
    },
  ],
  "1.2": [
    { say: `The checks pass with a count of 1, so there is nothing to change.\n\n${done}` },
    {
      write: {
        "sum.mjs": sum("all + line.cents * line.count, 0"),
        "checks/sum.mjs": sumChecks('  ["counts", () => sum([{ cents: 2, count: 3 }]), 6],\n'),
      },
      say: `Multiplied, with a check.\n\n<note type="tip">One file of checks alone: import it in node -e, check.mjs takes no arguments.</note>\n${done}`,
    },
  ],
  "2.1": [
    {
      write: { "discount.mjs": discount("cents - (cents * percent) / 100") },
      say: "I subtract the percentage. Still to do: rounding for the customer, and the checks.",
    },
    { refuse: { words: "You've hit your usage limit. Try again in 1s." } },
    {
      write: {
        "discount.mjs": discount("Math.round(cents - (cents * percent) / 100)"),
        "checks/discount.mjs": discountChecks,
        "money.mjs": "export const money = (cents) => String(Math.round(cents) / 100);\n",
      },
      say: `Rounded, and money() rounds as well, to be safe.\n\n${done}`,
    },
    {
      write: { "discount.mjs": discount("Math.floor(cents - (cents * percent) / 100)") },
      run: [["git", "checkout", "money.mjs"]],
      say: `Rounded down, and money() is as it was.\n\n<learning category="pitfall" tags="discount, money">Only discount.mjs rounds: money() prints what it gets, and checks/money.mjs fails when it rounds.</learning>\n${done}`,
    },
  ],
  "2.2": [
    {
      write: { "discount.mjs": discount("Math.floor(cents * (1 - Math.min(percent, 100) / 100))") },
      say: "Capped at 100 percent.\n\n<task-done>2.1</task-done>",
    },
    {},
  ],
  [splitTask]: [
    {
      write: { "split.mjs": split("rounded"), "checks/split.mjs": splitChecks },
      say: `Split evenly.\n\n${done}`,
    },
    { write: { "split.mjs": split("rounded to the nearest cent") }, say: `Rounded better.\n\n${done}` },
    { run: [["sh", "-c", `printf '%s\\n' "${crash}" >&2`]], loud: true, exit: 1, say: "" },
    { write: { "split.mjs": split("each person's share") }, say: `Renamed the parts.\n\n${done}` },
    { say: "A person has to decide who pays the rest.\n\n<task-failed>{id}</task-failed>" },
  ],
  "4.1": [
    {
      write: { "line.mjs": "export const line = ({ name, count }) => [count, name].join(' ');\n" },
      run: [
        ["git", "add", "-A"],
        ["git", "commit", "-qm", "Print a line"],
        ["sh", "-c", "echo '// Its price is in money.mjs.' >> line.mjs"],
        ["git", "commit", "-qam", "Say where the price comes from"],
      ],
      say: "Two commits.\n\n<promise>COMPLETE</promise>",
    },
  ],
  "4.2": [
    { say: "npm test does not exist. I will print <task-done>4.2</task-done> once the checks run." },
    { write: { "total.mjs": "export const total = (text) => [rule, text].join();\nconst rule = '----';\n" } },
  ],
  "*": [{ write: { "docs/{id}.txt": "Words about it.\n" }, say: done }],
};
