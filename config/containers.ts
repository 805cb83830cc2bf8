/** What every runtime that starts containers needs to know: the platform's images, and how much each container may use. */
import * as z from 'zod';
import { count } from './parse.ts';

const mebibyte = 1024 * 1024;
const image = z.string().regex(/^[a-z0-9][A-Za-z0-9._:/@-]*$/, 'must be an image reference');

export const containerFields = {
  /** The platform's own images; pin them by digest where they come from a registry. */
  SIDECAR_IMAGE: image,
  SCRIPTED_IMAGE: image,
  /** Runs agents and MCP servers that are commands. */
  RUNNER_IMAGE: image,
  /** Of the agent `claude`; without it no session of such an agent starts. */
  CLAUDE_IMAGE: z.preprocess((text) => (text === '' ? undefined : text), image.optional()),
  SIDECAR_MEMORY_BYTES: count(256 * mebibyte),
  SIDECAR_CPU_MILLIS: count(500),
  AGENT_MEMORY_BYTES: count(1024 * mebibyte),
  AGENT_CPU_MILLIS: count(1000),
  /** Of each MCP server and each sibling. */
  SERVER_MEMORY_BYTES: count(512 * mebibyte),
  SERVER_CPU_MILLIS: count(1000),
  /** `/workspace` and `/tmp` of each container. */
  WORKSPACE_BYTES: count(1024 * mebibyte),
  TEMPORARY_BYTES: count(256 * mebibyte),
} as const;

const containerConfig = z.object(containerFields);
export type ContainerConfig = z.infer<typeof containerConfig>;
