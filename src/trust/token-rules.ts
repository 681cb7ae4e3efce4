import { isFilledIn, isNameOfWords } from "./randomness.ts";
import type { SecretSpan } from "./secret-span.ts";

/** One kind of token, recognised by its shape in any context. */
interface TokenRule {
  readonly kind: string;
  /** Source of a regular expression without capturing groups. Repetitions are bounded, or end the pattern. */
  readonly pattern: string;
  /** True: the shape alone is sufficient, even if the body does not look random. */
  readonly certain?: boolean;
}

const hex = "[0-9a-f]";
const word = "[A-Za-z0-9]";
const url64 = "[A-Za-z0-9_-]";
const end = "(?![A-Za-z0-9_-])";
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;

const codeHosts: readonly TokenRule[] = [
  { kind: "github", pattern: `gh[opusr]_${word}{36,}` },
  { kind: "github", pattern: "github_pat_[A-Za-z0-9_]{36,}" },
  { kind: "gitlab", pattern: "gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[A-Za-z0-9_.=-]{20,}" },
  { kind: "gitlab", pattern: `GR1348941${url64}{20,}` },
  { kind: "gitlab", pattern: `_gitlab_session=${word}{20,}` },
  { kind: "bitbucket", pattern: `AT(?:BB|ATT3|CTT3)[A-Za-z0-9_=-]{28,}` },
  { kind: "sourcegraph", pattern: `sgp_(?:(?:[0-9A-Fa-f]{16}|local)_)?[0-9A-Fa-f]{40}${end}` },
  { kind: "sonar", pattern: `sq[apu]_${hex}{40}` },
  { kind: "snyk", pattern: `snyk_[a-z]{3}_${word}{20,}` },
  { kind: "npm", pattern: `npm_${word}{36,}` },
  { kind: "pypi", pattern: `pypi-AgE[A-Za-z0-9_-]{50,}` },
  { kind: "rubygems", pattern: `rubygems_${hex}{48}` },
  { kind: "clojars", pattern: `CLOJARS_[a-z0-9]{60}` },
  { kind: "nuget", pattern: `oy2[a-z0-9]{43}${end}` },
  { kind: "docker", pattern: `dckr_[op]at_${url64}{20,}` },
  { kind: "artifactory", pattern: `(?:AKCp|cmVmd)${word}{59,69}${end}` },
  { kind: "linear", pattern: `lin_(?:api|oauth)_${word}{32,}` },
  { kind: "notion", pattern: `(?:ntn_${word}{40,}|secret_${word}{43}${end})` },
  { kind: "postman", pattern: `PMAK-${hex}{24}-${hex}{34}` },
  { kind: "readme", pattern: `rdme_[a-z0-9]{70}` },
  { kind: "figma", pattern: `fig[dou][a-z]?_${url64}{36,}` },
  { kind: "launchdarkly", pattern: `(?:api|sdk|mob)-${uuid}` },
];

const clouds: readonly TokenRule[] = [
  { kind: "aws", pattern: `(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z2-7]{16}${end}` },
  {
    kind: "aws",
    pattern: "(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{100,200}={0,2}(?![A-Za-z0-9+/])",
    certain: true,
  },
  { kind: "gcp", pattern: `AIzaSy${url64}{33}${end}` },
  { kind: "gcp", pattern: `(?:ya29\\.|GOCSPX-|1//0)${url64}{24,}` },
  { kind: "azure", pattern: "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])" },
  { kind: "alibaba", pattern: `LTAI${word}{17,21}${end}` },
  {
    kind: "yandex",
    pattern: `(?:t1\\.[A-Z0-9a-z_-]{1,200}={0,2}\\.[A-Z0-9a-z_-]{86}={0,2}|AQVN${url64}{35,38})`,
  },
  { kind: "digitalocean", pattern: `do[opr]_v1_${hex}{64}` },
  { kind: "cloudflare", pattern: `v1\\.0-${hex}{24}-${hex}{146}` },
  { kind: "heroku", pattern: `HRKU-AA${url64}{50,}` },
  {
    kind: "flyio",
    pattern: "(?:fo1_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])|fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3})",
  },
  { kind: "vault", pattern: `hv[bs]\\.${url64}{60,}` },
  { kind: "terraform", pattern: `${word}{14}\\.atlasv1\\.${url64}{60,}` },
  { kind: "pulumi", pattern: `pul-${hex}{40}${end}` },
  { kind: "doppler", pattern: `dp\\.(?:audit|ct|pt|sa|scim|st)\\.(?:[a-z0-9_-]{2,35}\\.)?${word}{40,}` },
  { kind: "databricks", pattern: `dapi[0-9a-h]{32}(?:-\\d)?${end}` },
  { kind: "planetscale", pattern: "pscale_(?:oauth|pw|tkn)_[A-Za-z0-9_=.-]{32,}" },
  { kind: "supabase", pattern: `sb(?:p_${hex}{40}|_secret_${url64}{20,})` },
  { kind: "netlify", pattern: `nf[cop]_${word}{36,}` },
  { kind: "tailscale", pattern: `tskey-[a-z]{2,12}-${word}{8,}(?:-${word}{16,})?` },
  { kind: "openshift", pattern: `sha256~${url64}{43}${end}` },
  { kind: "octopus", pattern: "API-[A-Z0-9]{26}(?![A-Za-z0-9.])" },
  { kind: "harness", pattern: `(?:pat|sat)\\.${url64}{22}\\.${hex}{24}\\.${word}{20}` },
  { kind: "clickhouse", pattern: `4b1d${word}{38}${end}` },
  { kind: "scalingo", pattern: `tk-us-${url64}{48}` },
  { kind: "infracost", pattern: `ico-${word}{32}(?![A-Za-z0-9_.-])` },
  { kind: "settlemint", pattern: `sm_[aps]at_${word}{16}${end}` },
  { kind: "prefect", pattern: "pnu_[a-z0-9]{36}" },
  { kind: "defined-networking", pattern: `dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}` },
  { kind: "age", pattern: "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", certain: true },
  { kind: "1password", pattern: "ops_eyJ[A-Za-z0-9+/_-]{60,}={0,3}" },
  {
    kind: "1password",
    pattern: "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-(?:[A-Z0-9]{5}-){2}[A-Z0-9]{5}",
  },
  {
    kind: "authress",
    pattern:
      "(?:authress|ext|scauth|sc)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[a-z0-9+/_=-]{30,120}",
  },
];

const models: readonly TokenRule[] = [
  { kind: "anthropic", pattern: `sk-ant-[a-z0-9]{3,12}-${url64}{20,}` },
  { kind: "openai", pattern: `sk-(?:admin|None|proj|svcacct)-${url64}{20,}` },
  { kind: "openrouter", pattern: `sk-or-v1-${hex}{64}` },
  { kind: "openai", pattern: `sk-${word}{20,}` },
  { kind: "huggingface", pattern: "(?:hf|api_org)_[A-Za-z0-9]{34,}" },
  { kind: "groq", pattern: `gsk_${word}{40,}` },
  { kind: "xai", pattern: `xai-${word}{60,}` },
  { kind: "replicate", pattern: `r8_${word}{37}` },
  { kind: "perplexity", pattern: `pplx-${word}{48}` },
  { kind: "langsmith", pattern: `lsv2_[a-z]{2}_${hex}{32}_${hex}{10}` },
  { kind: "tavily", pattern: `tvly-(?:dev-)?${word}{32,}` },
  { kind: "cerebras", pattern: `csk-${word}{40,}` },
  { kind: "nvidia", pattern: `nvapi-${url64}{50,}` },
  { kind: "together", pattern: `tgp_v1_${url64}{40,}` },
  { kind: "fireworks", pattern: `fw_${word}{20,}${end}` },
  { kind: "voyage", pattern: `pa-${url64}{43}${end}` },
  { kind: "jina", pattern: `jina_${word}{50,}` },
  { kind: "elevenlabs", pattern: `sk_${hex}{48}${end}` },
  { kind: "anyscale", pattern: `(?:esecret|aph0)_${word}{24,}` },
  { kind: "nebius", pattern: `v1\\.Cm${url64}{40,}(?:\\.${url64}{20,})*` },
  { kind: "vercel", pattern: `vc[a-z]_${word}{24,}` },
];

/** Services that agents use: memory, search, browsers, sandboxes, traces. */
const agentServices: readonly TokenRule[] = [
  { kind: "mem0", pattern: `m0-${word}{32,}${end}` },
  { kind: "letta", pattern: `sk-let-${url64}{40,}` },
  { kind: "llamacloud", pattern: `llx-${word}{40,}` },
  { kind: "pinecone", pattern: `pcsk_${word}{5,8}_${word}{40,}` },
  { kind: "firecrawl", pattern: `fc-${hex}{32}${end}` },
  { kind: "brave", pattern: `BSA[A-Za-z0-9_-]{27,28}${end}` },
  { kind: "apify", pattern: `apify_(?:api|ui)_${word}{32,}` },
  { kind: "browserbase", pattern: `bb_(?:live|test)_${url64}{24,}` },
  { kind: "scrapfly", pattern: `scp-(?:live|test)-${hex}{32}` },
  { kind: "context7", pattern: `ctx7sk-${url64}{30,}` },
  { kind: "e2b", pattern: `(?:e2b|sk_e2b)_${hex}{40}` },
  { kind: "daytona", pattern: `dtn_${hex}{64}` },
  { kind: "modal", pattern: `a[ks]-${word}{22}${end}` },
  { kind: "runpod", pattern: `rpa_[A-Z0-9a-z]{40,}` },
  { kind: "render", pattern: `rnd_${word}{28,}` },
  { kind: "neon", pattern: `napi_[a-z0-9]{60,}` },
  { kind: "resend", pattern: `re_${word}{8}_${word}{24}${end}` },
  { kind: "cursor", pattern: `(?:key_${hex}{64}|crsr_${hex}{64})${end}` },
  { kind: "langfuse", pattern: `[ps]k-lf-${uuid}` },
  { kind: "helicone", pattern: `sk-helicone-(?:[a-z]{2}-)?[a-z0-9-]{20,}` },
  { kind: "posthog", pattern: `ph[cxs]_${word}{40,}` },
  { kind: "wandb", pattern: `wandb_v\\d_${url64}{60,}` },
  { kind: "portkey", pattern: `pk-portkey-${word}{20,}` },
  { kind: "composio", pattern: `(?:ak|comp)_${word}{20}${end}` },
];

const messaging: readonly TokenRule[] = [
  {
    kind: "slack",
    pattern: "xox[abeoprs]-(?=[0-9-]{0,80}[A-Za-z])(?:\\d-)?[A-Za-z0-9]{6,}-?[A-Za-z0-9-]{10,}",
  },
  { kind: "slack", pattern: `xoxe(?:\\.xox[bp])?-\\d-${word}{100,}` },
  { kind: "slack", pattern: "xapp-\\d-[A-Z0-9]{6,}-\\d{6,}-[a-z0-9]{20,}" },
  {
    kind: "slack-webhook",
    pattern: "hooks\\.slack\\.com/(?:services|triggers|workflows)/[A-Za-z0-9+/]{40,}",
  },
  {
    kind: "teams-webhook",
    pattern: "webhook\\.office\\.com/webhookb2/[A-Za-z0-9@-]{36,100}/IncomingWebhook/[A-Za-z0-9/-]{32,}",
  },
  { kind: "discord-webhook", pattern: `discord(?:app)?\\.com/api/webhooks/\\d{16,20}/${url64}{60,}` },
  { kind: "discord", pattern: `[MNO]${word}{23,25}\\.${url64}{6}\\.${url64}{27,38}${end}` },
  { kind: "telegram", pattern: `\\d{8,12}:A${url64}{34}${end}` },
  { kind: "twilio", pattern: `SK[0-9a-fA-F]{32}${end}` },
  { kind: "sendgrid", pattern: `SG\\.${url64}{16,64}\\.${url64}{32,}` },
  { kind: "sendgrid", pattern: `SG\\.[A-Za-z0-9=_.-]{66}(?![A-Za-z0-9=_.-])` },
  { kind: "brevo", pattern: `xkeysib-${hex}{64}-${word}{16}` },
  { kind: "mailgun", pattern: `(?:pub)?key-${hex}{32}${end}` },
  { kind: "mailchimp", pattern: `${hex}{32}-us\\d{1,2}${end}` },
  { kind: "typeform", pattern: "tfp_[A-Za-z0-9_=.-]{59,}" },
];

const money: readonly TokenRule[] = [
  { kind: "stripe", pattern: `[prs]k_(?:live|prod|test)_${word}{10,}` },
  { kind: "stripe", pattern: `whsec_${word}{24,}` },
  { kind: "square", pattern: `sq0[a-z]{3}-${url64}{22,}` },
  { kind: "square", pattern: `EAAA${url64}{22,60}${end}` },
  { kind: "facebook", pattern: `EAA[CM]${word}{100,}` },
  { kind: "facebook", pattern: `\\d{15,16}(?:\\||%7C)${url64}{27,40}${end}` },
  { kind: "shopify", pattern: "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}" },
  { kind: "flutterwave", pattern: "FLW(?:PUB|SEC)K(?:_TEST)?-[0-9a-h]{12,32}(?:-X)?" },
  { kind: "easypost", pattern: `EZ[AT]K${word}{54}${end}` },
  { kind: "duffel", pattern: "duffel_(?:live|test)_[A-Za-z0-9_=-]{43}" },
  { kind: "shippo", pattern: `shippo_(?:live|test)_${hex}{40}` },
  { kind: "plaid", pattern: `access-(?:development|production|sandbox)-${uuid}` },
  { kind: "lob", pattern: `(?:live|test)_(?:pub_)?${hex}{31,35}${end}` },
  { kind: "maxmind", pattern: `${word}{6}_${word}{29}_mmk` },
];

const monitoring: readonly TokenRule[] = [
  { kind: "grafana", pattern: "glc_[A-Za-z0-9+/]{32,}={0,3}" },
  { kind: "grafana", pattern: `glsa_${word}{32}_[0-9A-Fa-f]{8}` },
  { kind: "grafana", pattern: `eyJrIjoi${word}{60,}={0,3}` },
  { kind: "newrelic", pattern: `NR(?:AK|II|JS|RA|IQ)-${url64}{19,}` },
  { kind: "dynatrace", pattern: "dt0[a-z]\\d{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}" },
  { kind: "sentry", pattern: `sntryu_${hex}{64}${end}` },
  { kind: "sentry", pattern: "sntrys_eyJ[A-Za-z0-9+/]{40,1000}={0,2}_[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])" },
  { kind: "contentful", pattern: `CFPAT-${url64}{43}` },
  { kind: "airtable", pattern: `pat${word}{14}\\.${hex}{64}` },
  { kind: "frameio", pattern: "fio-u-[A-Za-z0-9_=-]{64}" },
  {
    kind: "mapbox",
    pattern: "[ps]k\\.(?:[a-z0-9]{60}\\.[a-z0-9]{22}|eyJ[A-Za-z0-9_-]{40,120}\\.[A-Za-z0-9_-]{20,})",
  },
  { kind: "asana", pattern: `[12]/\\d{16}(?:/\\d{16})?:${hex}{32}` },
  { kind: "adobe", pattern: `p8e-[a-z0-9]{32}` },
  { kind: "42", pattern: `s-s4t2(?:af|ud)-${hex}{64}` },
  { kind: "signature", pattern: "(?:[?&]sig|X-Amz-(?:Signature|Security-Token))=[A-Za-z0-9%+/=_-]{32,}" },
];

const webTokens: readonly TokenRule[] = [
  {
    kind: "jwt",
    pattern: `(?<!%?[_-])eyJ${url64}{14,}\\.eyJ?${url64}{10,}(?:\\.${url64}{10,})?`,
    certain: true,
  },
  { kind: "jwt", pattern: "(?:ZXlK|ZXlB)[A-Za-z0-9+/_-]{60,}={0,2}", certain: true },
];

export const tokenRules: readonly TokenRule[] = [
  ...codeHosts,
  ...clouds,
  ...models,
  ...agentServices,
  ...messaging,
  ...money,
  ...monitoring,
  ...webTokens,
];

/**
 * A token begins outside a word, or directly after an escape such as `\n`, `\u200b`, `%3D` or `%253D`, or after a colour, as the
 * word before it may have another one.
 */
const boundary =
  "(?<=^|[^A-Za-z0-9]|\\\\(?:[bfnrt]|u[0-9A-Fa-f]{4})|%(?:25){0,3}[0-9A-Fa-f]{2}|\\[[\\d;:]{0,20}[A-Za-z]|\\x1b\\([0AB])";
/** All rules in one pass: group number n is rule n - 1. */
const anyToken = new RegExp(
  `${boundary}(?:${tokenRules.map(({ pattern }) => `(${pattern})`).join("|")})`,
  "g",
);

/** Finds the tokens in `text` by their shape. */
export function tokenSpans(text: string): readonly SecretSpan[] {
  // No token is shorter, and prose has few words of this length.
  if (!/\S{16}/.test(text)) return [];
  const found: SecretSpan[] = [];
  anyToken.lastIndex = 0;
  for (let match = anyToken.exec(text); match; match = anyToken.exec(text)) {
    const token = match[0];
    const rule = tokenRules[match.indexOf(token, 1) - 1];
    if (!rule || !(rule.certain || (isFilledIn(token) && !isNameOfWords(token)))) continue;
    found.push({ start: match.index, end: match.index + token.length, kind: rule.kind });
  }
  return found;
}
