import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { type JsonPlace, jsonElements, jsonMember, jsonRoot, linesOf } from "../../../base/json-places.ts";
import { cleanText } from "../../../base/text.ts";
import type { ImportedFile, ImportFormat, SourceText } from "../imported-task.ts";
import { type JsonEntry, parseJsonSource, positionIn, setMember, wrongField } from "../json-source.ts";
import { readStory, unknownStoryKeys } from "./prd/read-story.ts";

/** `prd.json`: an object with a list `userStories`; what else it holds is for others. `passes: true` is done. */
export const prd: ImportFormat = { name: "prd", endings: [".json"], holds, parse, tick, untick };

function holds({ text }: SourceText): boolean {
  return /"userStories"\s*:/.test(text);
}

function parse(source: SourceText): ImportedFile {
  const { path, text } = source;
  const stories = storiesOf(source);
  const lineAt = linesOf(text);
  if (stories.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path}: the list \`userStories\` is empty`, {
      hint: 'Add a story: {"id": "US-1", "title": "…", "priority": 1, "passes": false}',
    });
  }
  const entries = stories.map(({ place, fields }): JsonEntry => {
    return { path, text, place, line: lineAt(place.start), fields };
  });
  const tasks = entries.map(readStory);
  return { tasks, warnings: unknownStoryKeys(entries) };
}

function tick(source: SourceText, key: string): string | undefined {
  return setPasses(source, key, true);
}

function untick(source: SourceText, key: string): string | undefined {
  return setPasses(source, key, false);
}

function setPasses(source: SourceText, key: string, passes: boolean): string | undefined {
  const story = storiesOf(source).find(({ place, fields }) => storyKey(source.text, place, fields) === key);
  if (!story) return undefined;
  if ((story.fields["passes"] === true) === passes) return source.text;
  return setMember(source.text, story.place, { key: "passes", value: `${passes}`, after: "id" });
}

interface Story {
  readonly place: JsonPlace;
  readonly fields: JsonObject;
}

function storyKey(text: string, place: JsonPlace, fields: JsonObject): string {
  const id = fields["id"];
  if (typeof id === "string") return cleanText(id).trim();
  const written = jsonMember(text, place, "id");
  return text.slice(written?.start, written?.end);
}

function storiesOf({ path, text }: SourceText): readonly Story[] {
  const root: JsonValue = parseJsonSource(path, text);
  const list = isObject(root) && Object.hasOwn(root, "userStories") ? root["userStories"] : undefined;
  const rootPlace = jsonRoot(text);
  const place = jsonMember(text, rootPlace, "userStories");
  if (!Array.isArray(list) || !place) {
    const found = place ?? rootPlace;
    const entry = { path, text, place: found, line: linesOf(text)(found.start), fields: {} };
    const where = positionIn(entry, found.start);
    throw new RalphError("RALPH_IMPORT_INVALID", `${where}: there is no list \`userStories\``, {
      hint: 'The file is an object with "userStories": [{"id": …, "title": …, "passes": false}].',
    });
  }
  const places = jsonElements(text, place);
  return list.map((fields: JsonValue, at) => {
    const here = places[at] ?? place;
    if (isObject(fields)) return { place: here, fields };
    const line = linesOf(text)(here.start);
    throw wrongField({ path, text, place: here, line, fields: {} }, null, "an object with `id` and `title`");
  });
}
