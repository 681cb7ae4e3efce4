// Bytes that are no UTF-8, NULs and a character cut by the end of the stream around a well-formed last word.
const bytes = [
  0xff,
  0xfe,
  0x00,
  0xc3,
  0x28,
  0x0a,
  ...Buffer.from("fine again \u2028 same line\n"),
  0xe2,
  0x82,
];
process.stdout.write(Buffer.from(bytes));
