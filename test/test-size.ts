/** How much of something a test tries: `otherwise`, or what the variable asks of a longer form. */
export function testSize(variable: string, otherwise: number): number {
  return Number(process.env[variable] ?? otherwise);
}
