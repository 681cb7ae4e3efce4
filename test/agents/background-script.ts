import type { Body, Step } from "./model-server/step.ts";

export const earlyWords = "The build runs in the background; I wait for it.";
export const lastWords = "All is built and checked.\n<task-done>t-1</task-done>";
const subPrompt = "Check the build, sub-agent";

/** True if the tool, with this parameter, is among those that the model may use. */
export function offers({ tools = [] }: Body, name: string, parameter?: string): boolean {
  const tool = tools.find((offered) => offered.name === name);
  return tool !== undefined && (!parameter || Object.hasOwn(tool.input_schema?.properties ?? {}, parameter));
}

/**
 * A model that runs a command of `seconds`, a sub-agent and a wake-up in the background wherever it may, says
 * `earlyWords`, and `lastWords` once it heard of all of them.
 */
export function backgroundScript(seconds: number): (body: Body) => readonly Step[] {
  return (body) => {
    if (JSON.stringify(body.messages[0]).includes(subPrompt))
      return [{ command: "echo checked > checked.txt" }, { text: "It is checked." }];
    const later = offers(body, "Bash", "run_in_background") ? { run_in_background: true } : {};
    const wakes = offers(body, "ScheduleWakeup");
    const command = { command: `sleep ${seconds}; echo built > built.txt`, description: "build", ...later };
    const agent = { description: "check", prompt: subPrompt, subagent_type: "general-purpose" };
    const steps: readonly Step[] = [
      { tool: "Bash", input: command },
      { tool: "Agent", input: agent },
      ...(wakes ? [wakeUp] : []),
    ];
    return [
      ...steps,
      { text: heardOfAll(JSON.stringify(body.messages), later, wakes) ? lastWords : earlyWords },
    ];
  };
}

const wakePrompt = "This is your wake-up";
const wakeUp: Step = {
  tool: "ScheduleWakeup",
  input: { delaySeconds: 60, reason: "to look again", prompt: wakePrompt },
};

/** Each time a prompt stands once in the call of the tool; the wake-up repeats it. */
function heardOfAll(messages: string, later: object, wakes: boolean): boolean {
  const asleep = wakes && !messages.includes("Wakeup not scheduled") && messages.split(wakePrompt).length < 3;
  const building =
    "run_in_background" in later && !/Background command[^<]*(completed|failed|was)/.test(messages);
  return !asleep && !building;
}
