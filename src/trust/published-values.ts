// Only the first 16 hex digits of each value's SHA-256 are kept: this file holds no keys, and scanners do not take it for a
// leak. To add a value, find it in a publication of its owner, then: printf %s VALUE | sha256sum | cut -c1-16
const published: ReadonlySet<string> = new Set([
  // Google API keys in the tests of Firebase: github.com/firebase/firebase-android-sdk, commit a089298ed9, and
  // firebase-storage/src of its first commit, 00d46269f1.
  "27a9a42931dff7eb",
  "49f777db995e8260",
  "8731261cb72d8626",
  "37f8f09bdf12c2f2",
  "eb540d2b6ee2a0a4",
  "2037abcaffb2b777",
  "4c98242dcadc8b29",
  "ea9bb1082cf95663",
  "3f370c9dd8225c63",
  "a19f89ab3555eac1",
  "e4a5542bb7fd7b67",
  "dc0fcf046c61640c",
  "6ca6473b42d9c17e",
  "f56e323494a6ffc2",
  "0b476bdf9acf2123",
  // The account key of Azurite and of the Azure storage emulator: github.com/Azure/Azurite,
  // documentation/default_customized_storage_account.md.
  "0011cc25eb432071",
  // The key of the Azure Cosmos DB emulator: github.com/MicrosoftDocs/azure-databases-docs, articles/cosmos-db/emulator.md.
  "aa6547439583c3a2",
  // The keys of reCAPTCHA for automated tests, site and secret, as they are quoted from developers.google.com/recaptcha/docs/faq.
  "03b970ed8171d73b",
  "f5e95c9954635b65",
  // The keys for tests in Stripe's documentation: docs.stripe.com/api/authentication, stripe.com/docs/development/get-started.
  "2cafc0970149a84f",
  "f2d6ca16515033e5",
  // The keys that `supabase start` uses on every machine (github.com/supabase/cli, pkg/config: apikeys.go, config.go), and the defaults
  // of a self-hosted Supabase (github.com/supabase/supabase, docker/.env.example).
  "c85debb55f2f204d",
  "9705102db0d5f99e",
  "bf1725a8f98bea37",
  "70541e07fd4f900b",
  "b0f3a96ded759f6c",
  "7f59edafa4d502ca",
  "fc6a5e9ae75f9160",
  "2359b281e1fa0ec3",
  "52f004438faf7802",
  // The samples of jwt.io with HS256, now and earlier: github.com/jsonwebtoken/jsonwebtoken.github.io, js/default-tokens.js and
  // src/editor/default-tokens.js.
  "7f75367e78812551",
  "c794fa6d20c64efb",
  "da816f9f2c16e6c5",
  "dad03a755c4616a8",
  // Responses in GitHub's documentation: github.com/github/docs, content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md.
  "bc3ae723f57c6b9e",
  // Headers in Discord's documentation: github.com/discord/discord-api-docs, docs/Reference.md.
  "02f7ce3c263f85c0",
  "35cd205c3caa8aa9",
  // The account of MinIO's public server play.min.io: github.com/minio/mc, cmd/config-v9.go (host `play`).
  "1bbb9293c38acc5e",
  "df452eef23e8cf2c",
  // Tokens and credentials in the examples of RFC 6749, 6750 and 7617.
  "6c96130f130ab0d6",
  "00cf4c781dc37003",
  "ca7459e2b26776de",
  "b8e148545b13c78b",
  "cf4d418ed3de92d7",
  "e9974c507d2a8021",
]);
const digestDigits = 16;
/** The longest published value has 223 characters. */
const maxLength = 300;
/** Quotes around a value, and the colon behind a user without password (`curl -u key:`). */
const around = /^["'\\]+|["'\\:]+$/g;

/**
 * Checks whether the whole of `value` is published by its owner for everybody's use, such as the key of a local emulator, so
 * that hiding it protects nothing.
 */
export function isPublished(value: string): boolean {
  if (value.length > maxLength) return false;
  // Loaded when needed: most texts hold nothing that looks like a secret, and reading commands load this file.
  const digest = process.getBuiltinModule("node:crypto").hash("sha256", value.replace(around, ""));
  return published.has(digest.slice(0, digestDigits));
}
