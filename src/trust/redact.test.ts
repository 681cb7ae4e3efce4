import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "./redact.ts";
import { registerSecrets } from "./registered-secrets.ts";

// Put together at run time, lest scanners take this file for a leak.
const body = "q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW";
const hex = "4f9d2b7a6c1e8035d97b42fa61c8e03b5a7d9c2e4f6081b3";

describe("TRUST-1: tokens that their shape gives away", () => {
  test.each([
    ["github", `ghp_${body}`],
    ["github", `github_pat_${body}${body}`],
    ["gitlab", `glpat-${body.slice(0, 20)}`],
    ["slack", `xoxb-123456789012-1234567890123-${body.slice(0, 24)}`],
    ["stripe", `sk_live_${body.slice(0, 24)}`],
    ["openai", `sk-proj-${body}`],
    ["anthropic", `sk-ant-api03-${body}${body}`],
    ["gcp", `AIzaSy${body.slice(0, 33)}`],
    ["npm", `npm_${body}`],
    ["pypi", `pypi-AgEIcHlwaS5vcmc${body}${body}`],
    ["sendgrid", `SG.${body.slice(0, 22)}.${body}${body.slice(0, 7)}`],
    ["twilio", `SK${hex.slice(0, 32)}`],
    ["aws", "AKIAQ7RW2ZK4XVTN5LPB"],
    ["huggingface", `hf_${body.slice(0, 34)}`],
    ["digitalocean", `dop_v1_${hex}${hex.slice(0, 16)}`],
    ["telegram", `123456789:A${body.slice(0, 34)}`],
    ["slack-webhook", `hooks.slack.com/services/T0000AB1C/B0000CD2E/${body.slice(0, 24)}`],
    ["jwt", `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${body}`],
  ])("TRUST-1: %s", (kind, token) => {
    for (const text of [
      token,
      `failed with ${token}, sorry`,
      `"a\\n${token}\\nb"`,
      `(${token})`,
      `x=${token};`,
    ]) {
      const out = redact(text);
      expect(out).toContain(`[redacted:${kind}]`);
      expect(out).not.toContain(token.slice(8));
    }
  });

  test("TRUST-1: a picture of a token is none", () => {
    for (const text of [
      "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "AKIAIOSFODNN7EXAMPLE",
      "sk-ant-...",
      "npm_config_cache",
    ]) {
      expect(redact(text)).toBe(text);
    }
  });
});

describe("TRUST-1: private keys", () => {
  const lines = `${hex}MII\n${body}A\n`;
  const begin = "-----BEGIN RSA PRIVATE KEY-----";
  test.each([
    ["whole", `a\n${begin}\n${lines}-----END RSA PRIVATE KEY-----\nb`, "a\n[redacted:private-key]\nb"],
    ["cut off", `a\n${begin}\n${lines}`, "a\n[redacted:private-key]\n"],
    [
      "within JSON",
      JSON.stringify(`${begin}\n${lines}-----END RSA PRIVATE KEY-----\nb`),
      '"[redacted:private-key]\\nb"',
    ],
  ])("TRUST-1: %s", (_name, text, expected) => expect(redact(text)).toBe(expected));

  test("TRUST-1 TRUST-11: a header without a key stays", () => {
    const text = "it begins with -----BEGIN PRIVATE KEY----- and then base64";
    expect(redact(text)).toBe(text);
  });
});

describe("TRUST-1: credentials in URLs, headers and options", () => {
  test.each([
    ["https://me:h0pk1ns@example.org/x", "https://me:[redacted:url-password]@example.org/x"],
    ["postgres://app:s3cr3t@db:5432/x", "postgres://app:[redacted:url-password]@db:5432/x"],
    ["mongodb+srv://u:password@c0.mongodb.net", "mongodb+srv://u:[redacted:url-password]@c0.mongodb.net"],
    [`https://${body.slice(0, 24)}@github.com/a/b`, "https://[redacted:url-user]@github.com/a/b"],
    ["Authorization: Bearer abc123.def456-ghi789", "Authorization: Bearer [redacted:authorization]"],
    ["curl -u elastic:P@ssw0rd1 https://x", "curl -u [redacted:basic-auth] https://x"],
    [`curl -H 'X-Api-Key: ${hex}'`, "curl -H 'X-Api-Key: [redacted:header]'"],
    [`"authorization": "Basic ${body}=="`, '"authorization": "Basic [redacted:authorization]"'],
  ])("TRUST-1: %s", (text, expected) => expect(redact(text)).toBe(expected));

  test.each([
    "https://user:pass@example.org",
    "https://$USER:$PASS@example.org",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <your token>",
    'curl -u "$USER:$PASSWORD" https://x',
    "git@github.com:owner/repository.git",
    "http://localhost:3000/a@b",
  ])("TRUST-1: %s holds none", (text) => expect(redact(text)).toBe(text));
});

describe("TRUST-1: values that their name gives away", () => {
  const value = body.slice(0, 20);
  test.each([
    `api_key = "VALUE"`,
    `API_KEY=VALUE`,
    `apiToken: 'VALUE'`,
    `{"client_secret": "VALUE"}`,
    `{\\"client_secret\\": \\"VALUE\\"}`,
    `"accessToken" => "VALUE"`,
    `var authToken string = "VALUE"`,
    `System.setProperty("AUTH_TOKEN", "VALUE")`,
    `<secretToken>\n    VALUE\n</secretToken>`,
    `<add key="DbPassword" value="VALUE" />`,
    `--token VALUE`,
    `the password is VALUE.`,
    `machine x login me password VALUE`,
    `https://x.org/?api_key=VALUE&b=1`,
    `export SECRET_KEY='VALUE'`,
  ])("TRUST-1: %s", (text) => {
    const expected = text.replace("VALUE", `[redacted:${/password/i.test(text) ? "password" : "secret"}]`);
    expect(redact(text.replace("VALUE", value))).toBe(expected);
  });

  test.each([
    ["password: hunter2-abc&3x", "password: [redacted:password]"],
    ["password=hunter2-abc,3x!y rest", "password=[redacted:password] rest"],
    ["?password=hunter2-abc&user=tom", "?password=[redacted:password]&user=tom"],
    ["password=hunter2-abc,user=tom", "password=[redacted:password],user=tom"],
    ["PASSWORD=hunter2-abc&&make", "PASSWORD=[redacted:password]&&make"],
    ["DB_PASSWORD=Tr0ub4dor(3x", "DB_PASSWORD=[redacted:password]"],
    ["a: 1\n  password: Tr0ub4dor;3x{y}9\nb: 2", "a: 1\n  password: [redacted:password]\nb: 2"],
    ["export PASSWORD=Tr0ub4dor'3x\"9", "export PASSWORD=[redacted:password]"],
    ["PASSWORD=Tr0ub4dor3;", "PASSWORD=[redacted:password];"],
    [`password: "Tr0ub'dor4-\`3x"`, 'password: "[redacted:password]"'],
    [`{"password": "Tr0ub\\"dor4\\\\3x", "a": 1}`, '{"password": "[redacted:password]", "a": 1}'],
    ['{"password": "hunter2-abc\\u00263x"}', '{"password": "[redacted:password]"}'],
    [
      JSON.stringify({ line: '{"password": "Tr0ub\\"dor4", "a": 1}' }),
      JSON.stringify({ line: '{"password": "[redacted:password]", "a": 1}' }),
    ],
    ['password = "Tr0ub4dor& 3 horses"', 'password = "[redacted:password]"'],
    [`password=hunter2-abc&${"n".repeat(60)}=tom`, `password=[redacted:password]&${"n".repeat(60)}=tom`],
    [`password=hunter2-abc,${"n".repeat(60)}=tom`, `password=[redacted:password],${"n".repeat(60)}=tom`],
    ["?password=hunter2-abc&amp;user=tom", "?password=[redacted:password]&amp;user=tom"],
    [`FLY_API_TOKEN: FlyV1 fm2_${body}AAAAAAAAAA${body}${hex}`, "FLY_API_TOKEN: FlyV1 [redacted:flyio]"],
    ["BUNDLE_GEMS__CONTRIBSYS__COM=0c5ab0a1:9f3d2e11", "BUNDLE_GEMS__CONTRIBSYS__COM=[redacted:secret]"],
  ])("TRUST-1: the whole value, but not what follows it: %s", (text, expected) =>
    expect(redact(text)).toBe(expected),
  );

  test.each([
    "the token is expired",
    "token: string",
    'password: "Enter your password"',
    "const token = nextToken(parser2)",
    "apiKey: process.env.API_KEY_2",
    'apiKey: "<YOUR_API_KEY_123>"',
    "api_key=$API_KEY_1",
    "secret: xxxxxxxxxxxxxxxx",
    "tokens: 12,345 in, 678 out",
    "primaryKey: 'user_id'",
    "token_type=bearer",
    "Tokenizer.tokenize(line42, column7)",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "integrity sha512-abcdef0123456789ABCDEF",
    "git-key: 2024-01-02T03:04:05Z",
    "api_key: abcdefghij1234567890klmnop",
    `<input name="authenticity_token" value="${value}">`,
    `X-CSRF-Token: ${value}`,
    "Authorization: Bearer myToken",
    '["HTTPPasswordMgr", "urllib2", "urllib.request"]',
    "'axisLinear', 'xAxisIrregular2Log'",
    "https://abc:xyz@example.com/x",
    "password = hash(input2)",
    "my $pwd = CPAN::anycwd2();",
    "password = users[index2].value",
    'password: "At least 8 characters with 1 digit"',
    "xoxp-572370529330-573807301142-572331691188-####################",
  ])("TRUST-1: %s is left alone", (text) => expect(redact(text)).toBe(text));
});

test("TRUST-1: the values of a Kubernetes Secret", () => {
  const text =
    "apiVersion: v1\nkind: Secret\ndata:\n  user: YWRtaW4=\n  other: 'cGxhaW4='\nmetadata:\n  name: mine\n";
  expect(redact(text)).toBe(
    "apiVersion: v1\nkind: Secret\ndata:\n  user: [redacted:kubernetes]\n  other: '[redacted:kubernetes]'\nmetadata:\n  name: mine\n",
  );
});

test("TRUST-1: registered values go wherever they stand, also as JSON, URL and base64 write them", () => {
  registerSecrets(['tr1cky "quoted" value', "plainvalue/x", "short", "/a/path/to/it", "production"]);
  expect(redact('a tr1cky "quoted" value b')).toBe("a [redacted:env] b");
  expect(redact(JSON.stringify({ x: 'tr1cky "quoted" value' }))).toBe('{"x":"[redacted:env]"}');
  expect(redact(`?x=${encodeURIComponent("plainvalue/x")}`)).toBe("?x=[redacted:env]");
  expect(redact(Buffer.from("plainvalue/x").toString("base64"))).toMatch(/^\[redacted:env\]=*$/);
  expect(redact("short /a/path/to/it production")).toBe("short /a/path/to/it production");
});

test("TRUST-1: a registered value goes within a longer text in base64, at each of the three alignments", () => {
  const value = "Correct>Horse?Battery~9";
  registerSecrets([value]);
  for (const before of ["", "u", "us", "use", "user:", "{user:"])
    for (const after of ["", "x", "xy", ":more text"])
      for (const encoding of ["base64", "base64url"] as const) {
        const encoded = Buffer.from(before + value + after).toString(encoding);
        const [head = "", tail = ""] = redact(`sent ${encoded} there`).split("[redacted:env]");
        // Characters that the text around it shares with the value's first and last byte.
        expect(head, encoded).toBe(`sent ${encoded.slice(0, Math.ceil((before.length * 4) / 3))}`);
        expect(tail.length - " there".length, encoded).toBeLessThanOrEqual(
          Math.ceil((after.length * 4) / 3) + 3,
        );
        expect(encoded.endsWith(tail.slice(0, -" there".length))).toBe(true);
      }
  // Too little of a short value depends on that value alone.
  registerSecrets(["brief123"]);
  const short = Buffer.from("u:brief123").toString("base64");
  expect(redact(short)).toBe(short);
});

test("TRUST-1: redacting twice is redacting once", () => {
  // The placeholder hides `$A`, which makes the header's value harmless the first time.
  const header = redact("Authorization: password==#-*#$A#");
  expect([header, redact(header)]).toEqual(Array(2).fill("Authorization: password=[redacted:password]"));
  // As credentials of curl, the first header name hides that the second one has a value.
  expect(redact("curl -u Authorization: Authorization: hunter2!Z9")).not.toContain("hunter2");
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "password=",
      "token: ",
      '"',
      "'",
      "Bearer ",
      "Authorization: ",
      "://u:",
      "@h",
      "\n",
      "[redacted:x]",
      "-----BEGIN PRIVATE KEY-----",
    ),
    fc.constantFrom("&", ",", ";", "(", "\\", '\\"', "user=", "Tr0ub4dor9", "Tr0ub 4dor&9", "csrf_"),
    fc.constantFrom(`ghp_${body}`, hex, body, "hunter2!Z9", `eyJ${body}.eyJ${body}.${body}`, "curl -u "),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = redact(pieces.join(""));
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 2000 },
  );
});

test("TRUST-1 TRUST-11: the documentation of installed packages stays readable", () => {
  const modules = join(import.meta.dirname, "..", "..", "node_modules");
  const files = readdirSync(modules).map((name) => join(modules, name, "README.md"));
  let lines = 0;
  let changed = 0;
  for (const file of files) {
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch {
      continue;
    }
    for (const line of text.split("\n")) {
      lines++;
      if (redact(line) !== line) changed++;
    }
  }
  expect(lines).toBeGreaterThan(1000);
  expect(changed / lines).toBeLessThan(0.0005);
});

test("TRUST-1: a text that was clean is searched again once a value in it is registered", () => {
  const text = "the gate opens with mellon-friend-9";
  expect([redact(text), redact(text)]).toEqual([text, text]);
  registerSecrets(["mellon-friend-9"]);
  expect(redact(text)).toBe("the gate opens with [redacted:env]");
});
