import { expect, test } from "vitest";
import { directories } from "./directories.ts";
import { childEnvironment, sensitiveValues, wantsColour, wantsProgress } from "./environment.ts";

test("TRUST-1: variables named like secrets are found, places and names are not", () => {
  const secrets = {
    OPENAI_API_KEY: "v1",
    GITHUB_TOKEN: "v2",
    DB_PASSWORD: "v3",
    AWS_SECRET_ACCESS_KEY: "v4",
    MY_CREDENTIALS: "v5",
    NPM_AUTH: "v6",
    STRIPE_KEY: "v7",
    apiKey: "v8",
  };
  const harmless = {
    PWD: "/home/me",
    SSH_AUTH_SOCK: "/tmp/agent",
    AWS_ACCESS_KEY_ID: "id",
    GOOGLE_APPLICATION_CREDENTIALS_FILE: "/f",
    KEYBOARD: "us",
    MONKEY: "see",
    AUTHOR: "me",
    PATH: "/bin",
    TOKENIZERS_PARALLELISM: "false",
    EMPTY_TOKEN: "",
  };
  expect(sensitiveValues({ ...harmless, ...secrets })).toEqual(Object.values(secrets));
});

test("LOOP-18: a child's git works where it stands, and no outer iteration leaks into it", () => {
  const env = {
    PATH: "/bin",
    GIT_DIR: "/x",
    GIT_INDEX_FILE: "/y",
    GIT_WORK_TREE: "/z",
    RALPH_TASK_ID: "t-1",
    GIT_EDITOR: "vi",
  };
  expect(childEnvironment(env)).toEqual({ PATH: "/bin", GIT_EDITOR: "vi" });
});

test("folders follow the XDG specification; relative values are ignored", () => {
  expect(directories({ HOME: "/home/me", XDG_STATE_HOME: "/s", XDG_DATA_HOME: "relative" })).toEqual({
    cache: "/home/me/.cache",
    state: "/s",
    data: "/home/me/.local/share",
    config: "/home/me/.config",
  });
});

test("NO_COLOR beats FORCE_COLOR, which beats the terminal", () => {
  expect(wantsColour(true, {})).toBe(true);
  expect(wantsColour(false, {})).toBe(false);
  expect(wantsColour(false, { FORCE_COLOR: "1" })).toBe(true);
  expect(wantsColour(true, { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
  expect(wantsColour(true, { TERM: "dumb" })).toBe(false);
  expect(wantsProgress({ CI: "true" })).toBe(false);
  expect(wantsProgress({})).toBe(true);
});
