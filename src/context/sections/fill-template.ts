/** Replaces each `{{name}}` of `template` with its value; slots inside a value are not filled. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.trim().replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    return value;
  });
}
