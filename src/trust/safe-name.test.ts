import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../test/any-text.ts";
import { slug } from "./safe-name.ts";

test.each(["add-login", "a", "2024-01-02", "x".repeat(64), "a--b"])(
  "TRUST-6: %s is safe as it is",
  (name) => {
    expect(slug(name)).toBe(name);
  },
);

test.each([
  ["../../etc/passwd", /^etc-passwd-[0-9a-f]{8}$/],
  ["Übung Größe", /^ubung-gro-e-[0-9a-f]{8}$/],
  ["", /^x-[0-9a-f]{8}$/],
  ["..", /^x-[0-9a-f]{8}$/],
  ["-rf", /^rf-[0-9a-f]{8}$/],
  ["con", /^con-[0-9a-f]{8}$/],
  ["a\u0000b", /^a-b-[0-9a-f]{8}$/],
  ["日本語", /^x-[0-9a-f]{8}$/],
  ["x".repeat(65), /^x{55}-[0-9a-f]{8}$/],
])("TRUST-6: %j becomes safe and stays itself", (name, expected) => expect(slug(name)).toMatch(expected));

test("TRUST-6: whatever the name, the slug is one safe part of a path, and no other name's", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), anyText(), (name, other) => {
      expect(slug(name)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
      expect(slug(slug(name))).toBe(slug(name));
      if (name !== other) expect(slug(name)).not.toBe(slug(other));
    }),
    { numRuns: 1000 },
  );
});
