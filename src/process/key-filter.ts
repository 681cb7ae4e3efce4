/** The kernel's numbers for `add_key`, `request_key` and `keyctl`, by what it calls the architecture: ours and its 32-bit one. */
const architectures: Readonly<Record<string, readonly (readonly [number, readonly number[]])[]>> = {
  x64: [
    [0xc000003e, [248, 249, 250]],
    [0x40000003, [286, 287, 288]],
  ],
  arm64: [
    [0xc00000b7, [217, 218, 219]],
    [0x40000028, [309, 310, 311]],
  ],
};

/** The bit that the second numbering of 64-bit x86 (x32) adds to a number. */
const withoutX32 = 0xbfffffff;
const allow = 0x7fff0000;
/** As on a kernel without keys. */
const deny = 0x00050000 + 38;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const result = (value: number): Instruction => [0x06, 0, 0, value];
const jump = (value: number, ifTrue: number, ifFalse: number): Instruction => [0x15, ifTrue, ifFalse, value];

/**
 * Returns the filter of system calls by which a program reaches no key that the kernel keeps for its user, such as those of
 * Kerberos: every program inherits the keyring of its session, and no namespace replaces it. For `--seccomp` of bubblewrap.
 * Undefined on processors whose numbers are not known here.
 */
export function keyFilter(processor: string = process.arch): Buffer | undefined {
  const known = architectures[processor];
  if (!known) return undefined;
  const blocks = known.flatMap(([architecture, numbers]) => {
    const block = refuse(numbers);
    return [jump(architecture, 0, block.length), ...block];
  });
  return encode([load(4), ...blocks, result(allow)]);
}

/** Ends the filter for a call: refuses these numbers and allows all others. */
function refuse(numbers: readonly number[]): readonly Instruction[] {
  const jumps = numbers.map((number, index) => jump(number, numbers.length - index, 0));
  return [load(0), [0x54, 0, 0, withoutX32], ...jumps, result(allow), result(deny)];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
