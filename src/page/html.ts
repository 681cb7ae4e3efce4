import { type SafeText, safe } from "../base/safe-text.ts";

/** Markup that `html` wrote: everything else in it is escaped. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = SafeText | number | Html | readonly Html[] | "";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? "");
}

/** Template tag that composes markup. Text and numbers are escaped for elements and quoted attributes alike. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  let markup = parts[0] ?? "";
  for (const [at, value] of values.entries()) {
    if (value instanceof Html) markup += value.markup;
    else if (typeof value === "object") markup += value.map((one) => one.markup).join("");
    else markup += escaped(String(value));
    markup += parts[at + 1];
  }
  return new Html(markup);
}

/** Markup of ralph's own that is no text of anybody: style and script. */
export function ownMarkup(parts: TemplateStringsArray, text: string): Html {
  return new Html(`${parts[0]}${text}${parts[1]}`);
}

/** A table that scrolls where it is wider than the window; the first cell of a row names it. */
export function table(
  caption: SafeText,
  heads: readonly SafeText[],
  rows: readonly (readonly (SafeText | number | Html)[])[],
): Html {
  const head = heads.map((text) => html`<th scope="col">${text}</th>`);
  const body = rows.map(
    ([first = safe``, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
