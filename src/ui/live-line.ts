import { formatDuration } from "../base/duration.ts";
import { type SafeText, safe } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf, type RunEvents } from "../events/run-events.ts";
import { safeLine } from "../trust/safe-text.ts";
import { limitText } from "./limit-text.ts";

interface LiveScreen {
  readonly columns: number;
  readonly writeNote: (text: SafeText) => void;
}

/** One status line at the bottom, redrawn in place: the attempt, its duration and the agent's current activity. */
export interface LiveLine {
  update(event: RalphEvent): void;
  clear(): void;
  end(): void;
}

interface LiveState {
  readonly what: SafeText;
  readonly since: number;
  readonly doing: SafeText;
  /** Counts down to its end instead of up from `since`. */
  readonly waiting: RunEvents["limit.waiting"] | null;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const eraseLine = safe`\r\u001b[2K`;

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
    const text = safe`${frames[frame] ?? ""} ${now.waiting ? safeLine(limitText(now.waiting, new Date()), 80) : workText(now)}`;
    screen.writeNote(safe`${eraseLine}${clip(text, Math.max(20, screen.columns - 1))}`);
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

function workText({ what, since, doing }: LiveState): SafeText {
  return safe`${what} · ${formatDuration(Date.now() - since)}${doing ? safe` · ${doing}` : ""}`;
}

function after(now: LiveState | undefined, event: RalphEvent): LiveState | undefined {
  const started = fieldsOf(event, "iteration.started");
  if (started) {
    const what = `${started.taskId} attempt ${started.attempt} · ${started.model}`;
    return { what: safeLine(what, 80), since: Date.now(), doing: safe``, waiting: null };
  }
  const activity = fieldsOf(event, "agent.activity");
  if (activity && now) return { ...now, doing: safeLine(activity.text, 80) };
  const check = fieldsOf(event, "verification.started");
  if (check && now) return { ...now, doing: safe`verifying: ${safeLine(check.command, 80)}` };
  const baseline = fieldsOf(event, "baseline.started");
  if (baseline) {
    const what = `verifying: ${baseline.commands.join(" && ")}`;
    return { what: safeLine(what, 80), since: Date.now(), doing: safe``, waiting: null };
  }
  const waiting = fieldsOf(event, "limit.waiting");
  if (waiting) return { what: safe``, since: Date.now(), doing: safe``, waiting };
  if (event.type === "run.paused") {
    return {
      what: safe`paused (run \`ralph resume\` to continue)`,
      since: Date.now(),
      doing: safe``,
      waiting: null,
    };
  }
  return [
    "run.resumed",
    "baseline.finished",
    "iteration.finished",
    "iteration.interrupted",
    "limit.over",
    "run.finished",
  ].includes(event.type)
    ? undefined
    : now;
}
