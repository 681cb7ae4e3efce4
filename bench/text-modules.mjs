// Lets the scripts of a folder without a build import the texts of prompts (`.md`) as modules.
import { register } from "node:module";

register("./load-text.mjs", import.meta.url);
