/** Returns the pattern of event types in which `*` matches any text (`iteration.*`). */
export function typePattern(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
