/** What runtimes need to know of containers: how much each may use, and the platform's images. */
import * as z from 'zod';
import { type AcpPreset, acpPreset } from '../contract/acp-preset.ts';
import { productSlug } from '../contract/product-name.ts';
import { count } from './parse.ts';

const mebibyte = 1024 * 1024;
const image = z.string().regex(/^[a-z0-9][A-Za-z0-9._:/@-]*$/, 'must be an image reference');

/** `preset=image`, separated by commas. */
const acpImages = z
  .string()
  .default('')
  .transform((text, context) => {
    const images: Partial<Record<AcpPreset, string>> = {};
    for (const pair of text.split(',').map((each) => each.trim())) {
      const [, name, reference] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
      const preset = acpPreset.safeParse(name).data;
      const found = image.safeParse(reference).data;
      if (preset !== undefined && images[preset] === undefined && found !== undefined) {
        images[preset] = found;
      } else if (pair !== '') {
        const presets = acpPreset.options.join(', ');
        const example = `opencode=${productSlug}-acp-opencode`;
        const message = `must be pairs like ${example}, separated by commas, each of ${presets} once`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
    }
    return images;
  });

/** How much each container may use, on every runtime. */
export const sizeFields = {
  AGENT_MEMORY_BYTES: count(1024 * mebibyte).describe(
    'memory of an agent, with what it writes where that is in memory',
  ),
  AGENT_CPU_MILLIS: count(1000).describe('processor of an agent, in thousandths'),
  SERVER_MEMORY_BYTES: count(512 * mebibyte).describe('memory of each MCP server and each sibling, likewise'),
  SERVER_CPU_MILLIS: count(1000).describe('processor of each MCP server and each sibling, in thousandths'),
} as const;
/** In memory on the process runtime and on an engine. */
export const workspaceBytes = (defaultValue: number) =>
  count(defaultValue).describe('`/workspace` of each container');

export const containerFields = {
  SIDECAR_IMAGE: image.describe("the platform's own image of a sidecar"),
  SCRIPTED_IMAGE: image.describe("the platform's own image of the agent `scripted`"),
  RUNNER_IMAGE: image.describe("the platform's own image that runs agents and MCP servers that are commands"),
  CLAUDE_IMAGE: z
    .preprocess((text) => (text === '' ? undefined : text), image.optional())
    .describe('image of the agent `claude`; without it none starts'),
  ACP_IMAGES: acpImages.describe(
    'images of the agent `acp`, as `preset=image` by commas; a preset without one does not start',
  ),
  ...sizeFields,
  WORKSPACE_BYTES: workspaceBytes(1024 * mebibyte),
} as const;

const containerConfig = z.object(containerFields);
export type ContainerConfig = z.infer<typeof containerConfig>;
