/** Suggests a scope for a tool, by what its server claims of it. Pure. Nothing is chosen automatically. */
import { toolScope } from '../../../../../contract/names.ts';
import type { ClaimedTool, Manifest } from '../../../api/types.ts';

type ToolHints = ClaimedTool['hints'];

const deletes = /(^|[^a-z])(delete|remove|destroy|drop|erase|purge|truncate|wipe|clear)(s|d|ing)?([^a-z]|$)/;

/**
 * Such as `files.write` for a tool of `files-2` that is said to change something; null where the
 * server says nothing. Servers say of what overwrites that it is destructive, too: it deletes when
 * its name says so as well.
 */
export function suggestedScope(
  server: string,
  { name, hints: { read_only, destructive } }: Pick<ClaimedTool, 'name' | 'hints'>,
): string | null {
  const service = server.replaceAll(/[^a-z]/g, '') || 'server';
  if (destructive === true) {
    // Also for one that is said to be read-only at the same time: the claim that asks for more care counts.
    const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
    return deletes.test(words) ? `${service}.delete` : `${service}.write`;
  }
  if (read_only === null) {
    return null;
  }
  return read_only ? `${service}.read` : `${service}.write`;
}

/** Each hint as the server gave it; empty where it gave none. */
export function hintTexts({ read_only, destructive, idempotent, open_world }: ToolHints): string[] {
  const text = (hint: boolean | null, ifTrue: string, ifFalse: string) =>
    hint === null ? [] : [hint ? ifTrue : ifFalse];
  return [
    ...text(read_only, 'read-only', 'writes'),
    ...text(destructive, 'destructive', 'not destructive'),
    ...text(idempotent, 'idempotent', 'not idempotent'),
    ...text(open_world, 'reaches external systems', 'reaches no external systems'),
  ];
}

/** Scope by tool, as the form holds it; empty for none. */
export type ChosenScopes = Readonly<Record<string, string>>;

export const chosenBefore = (tools: readonly ClaimedTool[], manifest: Manifest): ChosenScopes =>
  Object.fromEntries(
    tools.map(({ name }) => [
      name,
      Object.hasOwn(manifest.tool_scopes, name) ? (manifest.tool_scopes[name] ?? '') : '',
    ]),
  );

/** Tools of the manifest that the server did not list: their scopes stay. */
export const unlistedTools = (tools: readonly ClaimedTool[], manifest: Manifest): string[] =>
  Object.keys(manifest.tool_scopes).filter((tool) => !tools.some(({ name }) => name === tool));

/** What is wrong with a scope, or null. */
export const scopeProblem = (scope: string): string | null =>
  scope === '' ? null : (toolScope.safeParse(scope).error?.issues[0]?.message ?? null);

/** The manifest with the scopes that were chosen; what was not listed stays as it is. */
export function manifestWith(manifest: Manifest, chosen: ChosenScopes): Manifest {
  const kept = Object.entries(manifest.tool_scopes).filter(([tool]) => !Object.hasOwn(chosen, tool));
  const given = Object.entries(chosen).filter(([, scope]) => scope !== '');
  return { ...manifest, tool_scopes: Object.fromEntries([...kept, ...given]) };
}
