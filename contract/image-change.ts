/** What a newer image of the same reference would change of a catalog entry. */
import * as z from 'zod';
import type { Manifest, McpServer } from './catalog.ts';

const changedNames = z.strictObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});

export const imageChange = z.strictObject({
  /** Null for an entry whose image was never read. */
  old_digest: z.string().nullable(),
  new_digest: z.string(),
  command_changed: z.boolean(),
  /** Variables of the manifest. */
  env: changedNames,
  /** Tools that the manifest names. A removed one is no longer gated. */
  tool_scopes: changedNames,
  /** The scopes that its manifest names now, sorted. */
  scopes: z.array(z.string()),
});
export type ImageChange = z.infer<typeof imageChange>;

/** Compares a stored entry with the current content of its image. Names are sorted. */
export function compareImage(
  before: Pick<McpServer, 'image_digest' | 'image_command' | 'manifest'>,
  now: { digest: string; command: readonly string[]; manifest: Manifest },
): ImageChange {
  return {
    old_digest: before.image_digest,
    new_digest: now.digest,
    command_changed: JSON.stringify(before.image_command) !== JSON.stringify(now.command),
    env: compareNames(before.manifest.env, now.manifest.env),
    tool_scopes: compareNames(before.manifest.tool_scopes, now.manifest.tool_scopes),
    scopes: [...new Set(Object.values(now.manifest.tool_scopes))].sort(),
  };
}

function compareNames(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): z.infer<typeof changedNames> {
  const isChanged = (name: string) => canonical(before[name]) !== canonical(now[name]);
  return {
    added: Object.keys(now)
      .filter((name) => !Object.hasOwn(before, name))
      .sort(),
    removed: Object.keys(before)
      .filter((name) => !Object.hasOwn(now, name))
      .sort(),
    changed: Object.keys(now)
      .filter((name) => Object.hasOwn(before, name) && isChanged(name))
      .sort(),
  };
}

/** Stored JSON comes back with its keys in another order. */
function canonical(value: unknown): string {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.stringify(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : JSON.stringify(value);
}
