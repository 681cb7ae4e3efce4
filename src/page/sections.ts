import { formatDuration } from "../base/duration.ts";
import { type SafeText, safe } from "../base/safe-text.ts";
import { clip, count } from "../base/text.ts";
import { headline, money, recordText, spentText, stateMarks, utc } from "../view/format.ts";
import type { Action, AttemptLine, MemoryLine, ShownMemory, ViewModel } from "../view/model.ts";
import { type Html, html, table } from "./html.ts";
import { plots } from "./plots.ts";

/** How a model is drawn. */
export interface Drawing {
  /** True: a page that asks for more; false: a file. */
  readonly live: boolean;
  /** False: no buttons, the commands alone. */
  readonly acts: boolean;
  /** Makes the ids of the same learning in two tables differ. */
  readonly place?: SafeText;
}

interface Section {
  readonly id: SafeText;
  readonly title: SafeText;
  /** The part of the model that it shows: while that is the same object, so is the section. */
  of(model: ViewModel): unknown;
  draw(model: ViewModel, drawing: Drawing): Html;
}

const none = html``;
const maxErrorChars = 3000;

const whole = (model: ViewModel): unknown => model.whole;

/** The sections of page and report, in order. */
export const sections: readonly Section[] = [
  { id: safe`state`, title: safe`State`, of: (model) => model, draw: drawState },
  { id: safe`waits`, title: safe`Waits for you`, of: (model) => model, draw: drawWaits },
  { id: safe`now`, title: safe`Now`, of: (model) => model, draw: drawSlots },
  { id: safe`attempts`, title: safe`Attempts`, of: ({ attempts }) => attempts, draw: drawAttempts },
  { id: safe`tasks`, title: safe`Tasks`, of: whole, draw: drawTasks },
  { id: safe`models`, title: safe`Models and cost`, of: ({ attempts }) => attempts, draw: drawModels },
  { id: safe`memory`, title: safe`Memory`, of: whole, draw: drawMemory },
  { id: safe`history`, title: safe`Runs`, of: whole, draw: drawHistory },
];

/** Draws one section with its heading. */
export function drawSection({ id, title, draw }: Section, model: ViewModel, drawing: Drawing): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${draw(model, drawing)}</section>`;
}

function drawAction({ name, id, command }: Action, { acts, place = safe`` }: Drawing): Html {
  if (!acts) return html`<code>${command}</code>`;
  const label = safe`${name}`;
  if (name === "message" || name === "edit") {
    const what = name === "message" ? safe`Message to the next iteration` : safe`New text of ${id ?? ""}`;
    const form = html`<form data-action="${label}" data-id="${id ?? ""}"><input name="text" aria-label="${what}" placeholder="${what}" maxlength="10000" required><button>${label}</button> <code>${command}</code></form>`;
    return id === null
      ? form
      : html`<details id="${place}${label}-${id}"><summary>${label}<span class="hide"> ${id}</span></summary>${form}</details>`;
  }
  return html`<span class="act"><button type="button" data-action="${label}" data-id="${id ?? ""}">${label}${id === null ? none : html`<span class="hide"> ${id}</span>`}</button> <code>${command}</code></span>`;
}

function drawState(model: ViewModel, drawing: Drawing): Html {
  const { project, run, notices, actions } = model;
  const [state = safe``, ...facts] = headline(model);
  const when =
    run.startedAt === null ? safe`` : safe`${utc(run.startedAt)}, ${formatDuration(run.elapsedMs)}`;
  const branch = run.branch === "" ? none : html` on <code>${run.branch}</code>`;
  return html`<p class="state"><strong>${state}</strong>${facts.map((fact) => html` <span>${fact}</span>`)}</p>
<p>${project}: ${run.id === "" ? safe`Start one with ralph run.` : safe`${run.id}`} ${when}${branch}</p>
${notices.map((notice) => html`<p class="warn">! ${notice}</p>`)}${drawing.acts ? actions.map((action) => drawAction(action, drawing)) : none}`;
}

function drawWaits({ waits, moreWaits }: ViewModel, drawing: Drawing): Html {
  if (waits.length === 0) return html`<p>Nothing waits for you.</p>`;
  const rows = waits.map(({ id, title, why, command, action }) => [
    html`${id} ${title}`,
    html`${why}${action ? drawAction(action, drawing) : html` <code>${command}</code>`}`,
  ]);
  const more =
    moreWaits > 0 ? html`<p>${moreWaits} more: <code>ralph task list --status blocked</code></p>` : none;
  return html`${table(safe`What a person has to decide`, [safe`task`, safe`why, and what to do`], rows)}${more}`;
}

function drawMemories(memories: readonly ShownMemory[]): Html {
  if (memories.length === 0) return none;
  return html`<p>Memory in the prompt:</p><ul>${memories.map((one) => html`<li><code>${one.id}</code> “${one.text}” (${recordText(one)}) <code>ralph memory why ${one.id}</code></li>`)}</ul>`;
}

function drawSlots({ slots, doing, run }: ViewModel): Html {
  if (slots.length === 0)
    return html`<p>${doing || safe`No attempt is running (${stateMarks[run.state]}).`}</p>`;
  return html`${slots.map((slot) => {
    const of = slot.maxAttempts > 0 ? safe`/${slot.maxAttempts}` : safe``;
    const failures = html`<p>Its prompt shows ${count(slot.failuresShown, "failed attempt")} of this task.</p>`;
    return html`<article><h3>${slot.taskId} ${slot.title}</h3><p>attempt ${slot.attempt}${of} · ${slot.model} · ${formatDuration(slot.elapsedMs)} · why: ${slot.why}</p>
<p>${slot.step ?? safe`The agent reported no step yet.`}</p>${slot.failuresShown > 0 ? failures : none}${drawMemories(slot.memories)}</article>`;
  })}`;
}

function drawAttempts(model: ViewModel, drawing: Drawing): Html {
  const { attempts, moreAttempts } = model;
  if (attempts.length === 0) return html`<p>No attempt ended yet.</p>`;
  const more =
    moreAttempts > 0
      ? html`<p>${count(moreAttempts, "earlier attempt")}: <code>ralph log ${model.run.id}</code></p>`
      : none;
  return html`${attempts.toReversed().map((one) => drawAttempt(one, drawing))}${more}`;
}

function drawAttempt(one: AttemptLine, { live }: Drawing): Html {
  const key = safe`a-${one.taskId}-${one.attempt}`;
  const mark = one.done ? safe`✓ done` : safe`✗ failed`;
  const commit = one.commit === null ? none : html` · commit <code>${one.commit}</code>`;
  const head = html`<summary><b class="${one.done ? safe`good` : safe`bad`}">${mark}</b> ${one.taskId} #${one.attempt} ${one.title} <small>${spentText(one)}${commit}</small>${one.done ? none : html`<br>${one.reason} <code>${one.headline}</code>`}</summary>`;
  const error =
    one.error === ""
      ? none
      : html`<pre tabindex="0" aria-label="Error output">${clip(one.error, maxErrorChars)}</pre>`;
  const files =
    one.files.length === 0
      ? none
      : html`<p>Changed: ${one.files.map((file) => html`<code>${file}</code> `)}</p>`;
  const hint = one.hint === "" ? none : html`<p>hint: ${one.hint}</p>`;
  const prompt = live
    ? html`<p><button type="button" data-prompt="${one.taskId}" data-attempt="${one.attempt}" aria-controls="${key}-p">show the prompt</button> <code>ralph prompt show ${one.taskId} ${one.attempt}</code></p><div id="${key}-p" class="prompt" data-keep="1"></div>`
    : html`<p>prompt: <code>ralph prompt show ${one.taskId} ${one.attempt}</code></p>`;
  return html`<details id="${key}">${head}<p>${one.outcome}${one.category === "" || one.category === "unknown" ? safe`` : safe` · ${one.category}`} · ${utc(one.at)}</p>${hint}${error}${files}${drawMemories(one.memories)}${prompt}<p>changes: <code>ralph diff ${one.taskId}</code></p></details>`;
}

const statusMarks: Readonly<Record<string, SafeText>> = {
  done: safe`✓ done`,
  in_progress: safe`▶ at work`,
  pending: safe`· pending`,
  blocked: safe`⊘ blocked`,
  failed: safe`✗ failed`,
};

function drawTasks({ whole }: ViewModel): Html {
  if (!whole) return none;
  const { tasks, moreTasks } = whole;
  if (tasks.length === 0) return html`<p>There are no tasks: <code>ralph task add</code></p>`;
  const rows = tasks.map(({ id, title, status, reason, depth, waitsFor }) => [
    html`<span class="d${depth}">${id} ${title}</span>`,
    html`${statusMarks[status] ?? safe``}${waitsFor.length === 0 ? none : html`, waits for ${waitsFor.map((blocker) => html`<code>${blocker}</code> `)}`}${status === "in_progress" || reason === "" ? safe`` : safe`: ${reason}`}`,
  ]);
  const more = moreTasks > 0 ? html`<p>${moreTasks} more: <code>ralph task tree</code></p>` : none;
  return html`${table(safe`Tasks in the order in which they run`, [safe`task`, safe`status, and why`], rows)}${more}`;
}

function drawModels(model: ViewModel): Html {
  const { models, cost } = model;
  if (models.length === 0) return html`<p>No model was used yet.</p>`;
  const rows = models.map((row) => {
    const estimated = row.estimatedUsd > 0;
    return [
      row.model,
      row.attempts,
      row.done,
      money(row.costUsd, estimated),
      money(row.perTaskUsd, estimated),
      formatDuration(row.durationMs),
    ];
  });
  const heads = [
    safe`model`,
    safe`attempts`,
    safe`verified`,
    safe`cost`,
    safe`per verified task`,
    safe`time`,
  ];
  const all =
    cost.usd === null
      ? safe`No cost is known: the agent states none.`
      : safe`${money(cost.usd, cost.estimated)} in all, ${money(cost.perTaskUsd, cost.estimated)} per verified task.`;
  return html`<p>${all}</p>${plots(model)}${table(safe`Cost per model`, heads, rows)}`;
}

export function drawMemoryLines(memories: readonly MemoryLine[], drawing: Drawing): Html {
  if (memories.length === 0) return html`<p>Nothing was found.</p>`;
  const rows = memories.map((one) => [
    html`<code>${one.id}</code> ${one.text} <small>${one.status}${one.proven ? none : html` (unproven)`} · ${one.origin}</small><br>${one.actions.map((action) => drawAction(action, drawing))}`,
    one.shown,
    one.passed,
    one.helped,
  ]);
  const heads = [safe`learning`, safe`shown`, safe`passed`, safe`helped`];
  return table(safe`Learnings with their record, the most helpful first`, heads, rows);
}

function drawMemory({ whole }: ViewModel, drawing: Drawing): Html {
  if (!whole) return none;
  const { memories, memoryCount, lift } = whole;
  const search = drawing.live
    ? html`<form data-search="1" role="search"><label>Search <input name="q" type="search" maxlength="400"></label><button>find</button> <code>ralph memory find</code></form><div id="found" data-keep="1"></div>`
    : none;
  const listed = memories.filter(({ status }) => status !== "pruned").length;
  const more =
    memoryCount > listed ? html`<p>${memoryCount - listed} more: <code>ralph memory list</code></p>` : none;
  const list =
    memories.length === 0 ? html`<p>Nothing is remembered yet.</p>` : drawMemoryLines(memories, drawing);
  return html`<p>${count(memoryCount, "learning")}. ${lift} <code>ralph memory lift</code></p>${search}${list}${more}`;
}

function drawHistory({ whole }: ViewModel): Html {
  const history = whole?.history ?? [];
  if (history.length === 0) return html`<p>Nothing ran yet.</p>`;
  const rows = history.map(({ id, name, startedAt, durationMs, reason, attempts, done, costUsd }) => [
    html`${id} ${name}`,
    utc(startedAt),
    durationMs === null ? safe`` : formatDuration(durationMs),
    reason,
    safe`${done} of ${attempts} done`,
    money(costUsd),
  ]);
  return table(
    safe`Latest runs`,
    [safe`run`, safe`started`, safe`time`, safe`end`, safe`attempts`, safe`cost`],
    rows,
  );
}
