import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "./redact.ts";
import { registerSecrets } from "./registered-secrets.ts";

// Put together at run time, lest scanners take this file for a leak.
const body = "q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW";
const hex = "4f9d2b7a6c1e8035d97b42fa61c8e03b5a7d9c2e4f6081b3";
const digits = "1234567890";
const letters = "abcdefghijklmnopqrstuvwxyz";
const azurite = [
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4",
  "I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
].join("");

/** Returns the JWT with this payload that is signed with `secret`. */
function jwt(payload: object, secret: string): string {
  const parts = [{ alg: "HS256", typ: "JWT" }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const signature = createHmac("sha256", secret).update(parts.join(".")).digest("base64url");
  return [...parts, signature].join(".");
}

const john = { sub: digits, name: "John Doe", iat: 1_516_239_022 };
const jwtIo = jwt(john, "your-256-bit-secret");
const demo = (role: string): string =>
  jwt(
    { iss: "supabase-demo", role, exp: 1_983_812_996 },
    "super-secret-jwt-token-with-at-least-32-characters-long",
  );
const stripe = ["sk", "test", "4eC39HqLyjWDarjtT1zdp7dc"].join("_");
const aladdin = Buffer.from("Aladdin:open sesame").toString("base64");

describe("TRUST-1: values that their owners publish", () => {
  test.each([
    ["the sample of jwt.io", jwtIo],
    ["a sample of jwt.io as a variable", `JWT_SECRET=${jwtIo}`],
    ["a key of supabase start", `supabaseKey = "${demo("anon")}"`],
    ["the credentials of RFC 7617", `Authorization: Basic ${aladdin}`],
    [
      "the key of Azurite",
      `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${azurite};BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;`,
    ],
    ["Stripe's key for tests", `curl https://api.stripe.com/v1/charges -u ${stripe}:`],
    ["the same in quotes", `curl https://api.stripe.com/v1/charges -u "${stripe}:"`],
  ])("TRUST-1: %s stays", (_name, text) => expect(redact(text)).toBe(text));

  test.each([
    ["another signature", jwt(john, "another-256-bit-secret")],
    ["another payload", jwt({ ...john, admin: "yes" }, "your-256-bit-secret")],
    ["one character more", `AccountKey=A${azurite}`],
    ["one character less", `AccountKey=${azurite.slice(1)}`],
    ["a real secret beside it", `AccountKey=${azurite},password=${body}`],
    ["a user before it", `curl -u tom:${stripe} https://x`],
  ])("TRUST-1: %s is redacted", (_name, text) => expect(redact(text)).not.toBe(text));

  test("TRUST-1: one that is a secret of this environment goes", () => {
    const key = demo("service_role");
    expect(redact(`apikey: ${key}`)).toBe(`apikey: ${key}`);
    registerSecrets([key]);
    expect(redact(`apikey: ${key}`)).toBe("apikey: [redacted:env]");
  });
});

describe("TRUST-1: values whose name says that they are wrong", () => {
  const value = body.slice(0, 20);
  test.each([
    `nonMatchingToken := "${value}"`,
    `non_matching_token = "${value}"`,
    `const invalidToken = "${value}";`,
    '"wrongPassword": "hunter2-abc!"',
    `FAKE_API_KEY=${value}`,
    `export DUMMY_SECRET='${value}'`,
    `mockToken2: '${value}'`,
    `let api_key_invalid = "${value}"`,
    `var bogusAuthToken string = "${value}"`,
    `mismatchedSecret => "${value}"`,
  ])("TRUST-1: %s stays", (text) => expect(redact(text)).toBe(text));

  test.each([
    ["the format of a provider", `fakeToken = "ghp_${body}"`],
    ["a name of tests", `testToken = "${value}"`],
    ["an earlier value", `OLD_TOKEN=${value}`],
    ["another environment", `nonProdToken = "${value}"`],
    ["a negated word", `notFakeToken = "${value}"`],
    ["a part of a word", `invalidateToken = "${value}"`],
    ["another object's name", `mock.token = "${value}"`],
    ["a message of a log", "wrong password: hunter2-abc!"],
    ["a code in a log", `invalid_token: ${value}`],
    ["a code as an argument", `refuse("invalid_token", "${value}")`],
    ["an option", `--mock-token ${value}`],
    ["its neighbour", `{"fakeToken": "a", "token": "${value}"}`],
    ["a name in its value", `fakeToken = "api_key=${value}"`],
  ])("TRUST-1: %s is redacted", (_name, text) => {
    const out = redact(text);
    expect(out).toContain("[redacted:");
    expect(out).not.toContain(value);
    expect(out).not.toContain("hunter2");
  });
});

describe("TRUST-1: values that were typed in order", () => {
  test.each([
    `DATABRICKS_TOKEN=dapi${digits}12345678a9bc01234defa5`,
    `AIzaSy${letters}1234567`,
    `ghp_${digits}${letters}`,
    `glpat-${digits}${digits}`,
    `const BASE64_KEY_STR = "${letters.toUpperCase()}${letters}0${digits}+/="`,
    `const secret = "${digits}${letters}${digits}"`,
  ])("TRUST-1: %s stays", (text) => expect(redact(text)).toBe(text));

  test.each([
    ["only ids in order", `xoxb-${digits}12-${digits}123-${body.slice(0, 24)}`],
    ["only the id of a bot", `${digits}:A${body.slice(0, 34)}`],
    [
      "only the id of an app",
      `${digits}12345|${body.slice(0, 12)}-${body.slice(12, 24)}_${body.slice(0, 6)}`,
    ],
    ["a name in order", `SECRET_KEY=stage-${digits}-${hex}`],
    ["nine in order", `ghp_${digits.slice(0, 9)}${body.slice(0, 27)}`],
    ["a short part in order", `glpat-${body}${digits}${body}`],
    ["a person's password", `password = "${letters.slice(0, 10)}!${hex.slice(0, 30)}"`],
    ["a UUID", "HEROKU_API_KEY=12345678-ABCD-ABCD-ABCD-1234567890AB"],
  ])("TRUST-1: %s is redacted", (_name, text) => expect(redact(text)).not.toBe(text));
});

describe("TRUST-1: values that no program writes", () => {
  const mixed = `${hex.slice(0, 20)}A${hex.slice(21, 40)}`;
  test.each([
    ["ids that are all the same", `"token": "xoxp-1234-1234-1234-${hex.slice(0, 32)}"`],
    ["hex digits with a capital among them", `meraki-api-key: ${mixed}`],
  ])("TRUST-1: %s stay", (_name, text) => expect(redact(text)).toBe(text));

  test.each([
    ["two ids that are the same", `"token": "xoxp-1234-1234-5678-${hex.slice(0, 32)}"`],
    ["hex digits", `meraki-api-key: ${hex.slice(0, 40)}`],
    ["capital hex digits", `meraki-api-key: ${hex.slice(0, 40).toUpperCase()}`],
    ["hex digits in both cases throughout", `API_KEY=${hex.slice(0, 20)}${hex.slice(20, 40).toUpperCase()}`],
    ["short hex digits in both cases", `API_KEY=${mixed.slice(4, 28)}`],
    ["more than hex digits in both cases", `API_KEY=${mixed}x7Q`],
    ["a token in its provider's format", `SOURCEGRAPH_TOKEN=sgp_${mixed}`],
    ["a password", `password=${mixed}`],
  ])("TRUST-1: %s are redacted", (_name, text) => expect(redact(text)).not.toBe(text));
});

describe("TRUST-1: beginnings of tokens", () => {
  test.each([
    "export OP_SERVICE_ACCOUNT_TOKEN=ops_eyJzaWduSW5BZGRyZXNzIjoiaHR0cHM6...",
    "JWT_TOKEN=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...",
    `--token github_pat_11${body.slice(0, 12)}... is read from the file`,
  ])("TRUST-1: %s stays", (text) => expect(redact(text)).toBe(text));

  test.each([
    ["a password", "password=hunter2-abc..."],
    ["a token of another format", `API_TOKEN=${body}...`],
    ["a token of a short format", `GITHUB_TOKEN=ghp_${body}...`],
    ["the larger part of a token", `GITHUB_TOKEN=github_pat_${body}${body}...`],
    ["a whole token", `JWT_TOKEN=${jwt(john, body)}...`],
    [
      "credentials in base64",
      `DOCKER_AUTH_TOKEN=${Buffer.from('{"username":"tom","password":"h2"}').toString("base64")}...`,
    ],
    ["without an ellipsis", "JWT_TOKEN=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."],
  ])("TRUST-1: %s is redacted", (_name, text) => expect(redact(text)).not.toBe(text));
});

test("TRUST-1: redacting twice is redacting once, also where harmless values stay", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("fake_", "invalid", "Token = ", "password=", '"', ": ", "...", "&", ",", ":", " ", "-u "),
    fc.constantFrom(azurite, stripe, jwtIo, body, `${digits}${letters}`, "eyJhbGciOiJIUzI1NiJ9", "curl -u "),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = redact(pieces.join(""));
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 2000 },
  );
});

describe("TRUST-11: code, ids and public values", () => {
  test.each([
    "- (id)hf_requiredCharacteristicTypesForDisplayMetadata;",
    "doc.Security.KeySize = PdfEncryptionKeySize.Key128Bit;",
    "key.KeyLength = RsaKeyLengths.Rsa2048WithSha256;",
    "AuthMethod = AuthenticationKinds.Sha256Rsa2048",
    "credentialsId: 'ff083f76-7804-4ef1-80e4-fe975bb9141b'",
    "tokenId: 0b1c2d3e-1111-4222-8333-444455556666",
    "keyVaultToStoreSecrets: cmp2-qat-1208358310",
    "secretName: my-app-tls-2024-08-cert1a",
    `public_key = "${body}"`,
    `publicKey: '${body}'`,
    `VERIFY_KEY=${body}`,
    `key: 'sha256-${body}='`,
  ])("TRUST-11: %s stays", (text) => expect(redact(text)).toBe(text));

  test.each([
    `secret_id: '${body}'`,
    `privateKey: '${body}'`,
    `api_key: ${body.slice(0, 24)}.${body.slice(5, 20)}`,
    `token: sk1-abc-${body}`,
  ])("TRUST-11: %s goes", (text) => expect(redact(text)).toContain("[redacted:"));

  test("TRUST-11: of several manifests only the Secret's values go", () => {
    const map = "kind: ConfigMap\ndata:\n  color: blue-green\n";
    const secret = "kind: Secret\nstringData:\n  pw: hunter2222\n";
    const hidden = secret.replace("hunter2222", "[redacted:kubernetes]");
    expect(redact(`${secret}---\n${map}`)).toBe(`${hidden}---\n${map}`);
    expect(redact(`${map}---\n${secret}---\n${map}`)).toBe(`${map}---\n${hidden}---\n${map}`);
  });
});
