import { isMemorySection, packMemory } from "./budget.ts";
import { contextSection } from "./context-section.ts";
import { finishSection } from "./finish-section.ts";
import { messagesSection, shownMessages } from "./messages-section.ts";
import type { PackedSection } from "./pack-section.ts";
import type { Prompt, PromptRequest, PromptSection, ShownItem } from "./prompt.ts";
import { acceptanceSection, taskSection } from "./task-section.ts";
import { verificationSection } from "./verification-section.ts";

interface Section {
  readonly name: string;
  /** Absent: memory fills it. */
  readonly write?: (request: PromptRequest, shown: Shown) => string;
  /** What of it is told by `--explain`. */
  readonly items?: (request: PromptRequest) => readonly ShownItem[];
}

/** What of memory the prompt shows: some of what is asked of the agent hangs on it. */
interface Shown {
  readonly stuck: boolean;
}

/** Every section, in the order of the prompt. One without content does not appear. */
const order: readonly Section[] = [
  { name: "context", write: contextSection },
  { name: "notes" },
  { name: "task", write: taskSection },
  { name: "acceptance", write: acceptanceSection },
  { name: "messages", write: messagesSection, items: shownMessages },
  { name: "attempts" },
  { name: "stuck" },
  { name: "skills" },
  { name: "learnings" },
  { name: "hivemind" },
  { name: "structured-context" },
  { name: "journal" },
  { name: "status" },
  { name: "verification", write: verificationSection },
  { name: "finish", write: finishSection },
];

/** The prompt of one attempt. Pure: the same request gives the same text. */
export function buildPrompt(request: PromptRequest): Prompt {
  const stranger = request.recalled.find(({ section }) => !isMemorySection(section));
  if (stranger) throw new Error(`memory recalled for a section that no prompt has: ${stranger.section}`);
  const memory = packMemory(request.recalled, request.budget);
  const shown = { stuck: (memory.get("stuck")?.text ?? "") !== "" };
  const texts: string[] = [];
  const sections: PromptSection[] = [];
  for (const { name, write, items: told } of order) {
    const { text, items } = write
      ? { text: write(request, shown), items: told?.(request) ?? [] }
      : (memory.get(name) ?? nothing);
    if (text === "") continue;
    texts.push(text);
    sections.push({ name, chars: text.length, items });
  }
  const dropped = [...memory.values()].flatMap((section) => section.dropped);
  return { prompt: `${texts.join("\n\n")}\n`, sections, dropped };
}

const nothing: PackedSection = { text: "", items: [], dropped: [] };
