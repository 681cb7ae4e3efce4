import type { CommandSpec } from "../../shell/command.ts";

/** `ralph demo`: the whole loop on a practice repository (LOOP-15). */
export const demo: CommandSpec = {
  description:
    "Creates a small git repository in a temporary folder and runs the real loop there with a scripted agent, which fails, learns and succeeds. Needs no account and no network.",
  run: async (session, invocation) => (await import("./run-demo.ts")).runDemo(session, invocation.options),
};
