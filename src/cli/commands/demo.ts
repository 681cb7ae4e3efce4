import type { CommandSpec } from "../shell/command.ts";

/** `ralph demo`: the main job on a practice repository (LOOP-15). */
export const demo: CommandSpec = {
  name: "demo",
  summary: "see the whole loop on a practice project",
  description:
    "Makes a small git repository in a temporary folder and runs the real loop on it with a built-in scripted agent: it fails, learns and succeeds. No account, no network.",
  run: async (_session, invocation) => (await import("../demo/run-demo.ts")).runDemo(invocation.options),
};
