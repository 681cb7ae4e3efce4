import type { EmbeddingSettings } from "../../config/embeddings.ts";
import { readEnv } from "../../config/environment.ts";
import type { Project } from "../shell/command.ts";
import { isApproved } from "../trust/approval.ts";

type Endpoint = Omit<EmbeddingSettings, "keyEnv"> & { readonly key: string | null };

/**
 * Returns the endpoint for embeddings with its key; null when the settings name none, or when the project's own file names
 * one that is not approved (TRUST-5): it receives tasks and learnings.
 */
export function endpointOf(project: Pick<Project, "root" | "loaded">): Endpoint | null {
  const { embeddings } = project.loaded.settings.memory;
  if (embeddings === null || !isApproved(project, "memory.embeddings")) return null;
  const { keyEnv, ...endpoint } = embeddings;
  return { ...endpoint, key: keyEnv === null ? null : (readEnv(keyEnv) ?? null) };
}
