import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { isMemorySection, packMemory } from "./budget.ts";
import { contextSection } from "./context-section.ts";
import {
  finishSection,
  journalSection,
  messagesSection,
  shownMessages,
  verificationSection,
} from "./fixed-sections.ts";
import { codeSpan } from "./inline-text.ts";
import type { PackedSection } from "./pack-section.ts";
import type { DroppedItem, Prompt, PromptRequest, PromptSection, ShownItem } from "./prompt.ts";
import { acceptanceSection, taskSection } from "./task-section.ts";
import { fillText, hasSlot } from "./template.ts";

interface Section {
  /** Absent: memory fills the section. */
  readonly write?: (request: PromptRequest, shown: ShownSections) => SafeText;
  /** The items of the section that `--explain` lists. */
  readonly items?: (request: PromptRequest) => readonly ShownItem[];
}

/** The memory sections that the prompt shows, as far as the instructions depend on them. */
interface ShownSections {
  readonly stuck: boolean;
}

/** The writers of sections; memory fills all others, and continues that of the journal. */
const sectionWriters: Readonly<Record<string, Section>> = {
  context: { write: contextSection },
  task: { write: taskSection },
  acceptance: { write: acceptanceSection },
  messages: { write: messagesSection, items: shownMessages },
  journal: { write: journalSection },
  verification: { write: verificationSection },
  finish: { write: finishSection },
};

/** Builds the prompt of one attempt. Pure: the same request gives the same text. Sections without content are omitted. */
export function buildPrompt(request: PromptRequest): Prompt {
  const { template, recalled, budget } = request;
  const unknown = recalled.find(({ section }) => !isMemorySection(section));
  if (unknown) throw new Error(`memory recalled for an unknown prompt section: ${unknown.section}`);
  const memory = packMemory(
    recalled.filter(({ section }) => hasSlot(template, section)),
    budget,
    request.seed,
  );
  const shown = { stuck: (memory.get("stuck")?.text ?? "") !== "" };
  const texts: SafeText[] = [];
  const sections: PromptSection[] = [];
  for (const block of template.blocks) {
    const { name, text, items } = "text" in block ? sectionText(block.text, request) : section(block.slot);
    if (text === "") continue;
    texts.push(text);
    sections.push({ name, chars: text.length, items });
  }
  const dropped = [...memory.values()].flatMap((packed) => packed.dropped);
  return {
    prompt: safe`${joinSafe(texts, "\n\n")}\n`,
    sections,
    dropped: [...dropped, ...withoutSlot(request)],
  };

  function section(name: string): PackedSection & { readonly name: string } {
    const { write, items } = sectionWriters[name] ?? {};
    const recalled = memory.get(name) ?? nothing;
    if (!write) return { name, ...recalled };
    const text = joinSafe([write(request, shown), recalled.text].filter(Boolean), "\n\n");
    return { ...nothing, name, text, items: items?.(request) ?? recalled.items };
  }
}

const nothing: PackedSection = { text: safe``, items: [], dropped: [] };

/** Fills in the text of the person's template between the slots. */
function sectionText(
  text: SafeText,
  { task, attempt, root }: PromptRequest,
): PackedSection & { readonly name: string } {
  const values = { taskId: codeSpan(task.id, 80), attempt: safe`${attempt}`, root: codeSpan(root, 400) };
  return { ...nothing, name: "template", text: fillText(text, values) };
}

/** Lists the recalled items whose section has no slot in the template. */
function withoutSlot({ template, recalled }: PromptRequest): readonly DroppedItem[] {
  return recalled.flatMap(({ section, items }) => {
    if (hasSlot(template, section)) return [];
    const reason = `the template has no {{${section}}}`;
    return items.map(({ id }) => ({ section, id, reason }));
  });
}
