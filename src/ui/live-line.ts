import { formatDuration } from "../base/duration.ts";
import { clip, oneLine } from "../base/text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf, type RunEvents } from "../events/run-events.ts";
import { redact } from "../trust/redact.ts";
import { stripControls } from "../trust/terminal.ts";
import { limitText } from "./limit-text.ts";

interface LiveScreen {
  readonly columns: number;
  writeNote(text: string): void;
}

/** One status line at the bottom, redrawn in place: the attempt, its duration and the agent's current activity. */
export interface LiveLine {
  update(event: RalphEvent): void;
  clear(): void;
  end(): void;
}

interface LiveState {
  readonly what: string;
  readonly since: number;
  readonly doing: string;
  /** Counts down to its end instead of up from `since`. */
  readonly waiting: RunEvents["limit.waiting"] | null;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const eraseLine = "\r\u001b[2K";

export function createLiveLine(screen: LiveScreen): LiveLine {
  let now: LiveState | undefined;
  let frame = 0;
  let drawn = false;
  const clear = (): void => {
    if (drawn) screen.writeNote(eraseLine);
    drawn = false;
  };
  const draw = (): void => {
    if (!now) return;
    frame = (frame + 1) % frames.length;
    const text = `${frames[frame]} ${now.waiting ? safe(limitText(now.waiting, new Date())) : workText(now)}`;
    screen.writeNote(`${eraseLine}${clip(text, Math.max(20, screen.columns - 1))}`);
    drawn = true;
  };
  const timer = setInterval(draw, 120);
  timer.unref();
  return {
    clear,
    update: (event) => {
      now = after(now, event);
      if (!now) clear();
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}

function workText({ what, since, doing }: LiveState): string {
  return `${what} · ${formatDuration(Date.now() - since)}${doing ? ` · ${doing}` : ""}`;
}

function after(now: LiveState | undefined, event: RalphEvent): LiveState | undefined {
  const started = fieldsOf(event, "iteration.started");
  if (started) {
    const what = `${started.taskId} attempt ${started.attempt} · ${started.model}`;
    return { what: safe(what), since: Date.now(), doing: "", waiting: null };
  }
  const activity = fieldsOf(event, "agent.activity");
  if (activity && now) return { ...now, doing: safe(activity.text) };
  const check = fieldsOf(event, "verification.started");
  if (check && now) return { ...now, doing: `verifying: ${safe(check.command)}` };
  const waiting = fieldsOf(event, "limit.waiting");
  if (waiting) return { what: "", since: Date.now(), doing: "", waiting };
  if (event.type === "run.paused") {
    return { what: "paused (run `ralph resume` to continue)", since: Date.now(), doing: "", waiting: null };
  }
  return [
    "run.resumed",
    "iteration.finished",
    "iteration.interrupted",
    "limit.over",
    "run.finished",
  ].includes(event.type)
    ? undefined
    : now;
}

function safe(text: string): string {
  return clip(stripControls(redact(oneLine(text))), 80);
}
