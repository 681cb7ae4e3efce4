import { replaceSafe, type SafeText } from "../base/safe-text.ts";

/** Replaces each `{{name}}` of `template` with its value; slots inside a value are not filled. */
export function fillTemplate(template: SafeText, values: Readonly<Record<string, SafeText>>): SafeText {
  return replaceSafe(template.trim(), /\{\{(\w+)\}\}/g, (_, name = _) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    return value;
  });
}
