/** What each tool of a server needs, and what its claims suggest. Pure. Nothing is chosen automatically. */
import { isListableTool } from '../../../../../contract/catalog.ts';
import { toolScope } from '../../../../../contract/names.ts';
import type { ClaimedTool, McpServer } from '../../../api/types.ts';

type ToolHints = ClaimedTool['hints'];

const deletes = /(^|[^a-z])(delete|remove|destroy|drop|erase|purge|truncate|wipe|clear)(s|d|ing)?([^a-z]|$)/;
const changingWords = [
  ...['write', 'edit', 'move', 'rename', 'create', 'make', 'push', 'commit', 'merge', 'update', 'set', 'put'],
  ...['post', 'patch', 'add', 'insert', 'append', 'replace', 'modify', 'save', 'upload', 'send', 'publish'],
  ...['copy', 'execute', 'exec', 'run', 'kill', 'stop', 'cancel', 'close', 'transfer', 'pay', 'approve'],
  ...['grant', 'revoke', 'invite', 'reset', 'restart', 'start', 'submit', 'upsert'],
];
const changes = new RegExp(`(^|[^a-z])(${changingWords.join('|')})([^a-z]|$)`);
const reads =
  /^(get|list|read|search|find|describe|show|view|count|query|look|lookup|check|diff|status)([^a-z]|$)/;
/** A name such as `get_or_create_user` begins as one that reads, and does more. */
const doesMore = /(^|[^a-z])(or|and)([^a-z]|$)/;

/**
 * Such as `files.write` for a tool of `files-2` that may change something, by its name or by what its server
 * says; null for what reads by both, or by its name where the server says nothing: that stays open. Servers
 * say of what overwrites that it is destructive, too: it deletes when its name says so as well.
 */
export function suggestedScope(
  server: string,
  { name, hints: { read_only, destructive } }: Pick<ClaimedTool, 'name' | 'hints'>,
): string | null {
  const service = server.replaceAll(/[^a-z]/g, '') || 'server';
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  if (destructive === true) {
    // Also for one that is said to be read-only at the same time: the claim that asks for more care counts.
    return deletes.test(words) ? `${service}.delete` : `${service}.write`;
  }
  const isNamedRead = reads.test(words) && !doesMore.test(words);
  const isNamedChange = deletes.test(words) || (changes.test(words) && !(read_only === true && isNamedRead));
  const isSaidToRead = read_only ?? isNamedRead;
  return isNamedChange || !isSaidToRead ? `${service}.write` : null;
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

/** `open`: without a grant. `gated`: with a grant of its scope. `off`: not offered to agents. */
export interface ToolAccess {
  access: 'open' | 'gated' | 'off';
  /** Of a gated tool; kept while it is something else, so that one can go back. */
  scope: string;
}

/** By tool, as the form holds it. */
export type ChosenAccess = Readonly<Record<string, ToolAccess>>;

type EntryAccess = Pick<McpServer, 'manifest' | 'unlisted_tools' | 'listed_tools'>;

/** Of one tool that the entry names or does not. */
function accessOf(entry: EntryAccess, name: string): ToolAccess {
  const { manifest, unlisted_tools: unlisted, listed_tools: listed } = entry;
  const scope = Object.hasOwn(manifest.tool_scopes, name) ? (manifest.tool_scopes[name] ?? '') : '';
  if (scope !== '') {
    return { access: 'gated', scope };
  }
  return { access: unlisted === 'allow' || listed.includes(name) ? 'open' : 'off', scope };
}

export const chosenBefore = (tools: readonly ClaimedTool[], entry: EntryAccess): ChosenAccess =>
  Object.fromEntries(tools.map(({ name }) => [name, accessOf(entry, name)]));

/** Tools that the entry names and the server did not list: they stay gated or open as they are. */
export const keptTools = (
  tools: readonly ClaimedTool[],
  { manifest, listed_tools: listed }: EntryAccess,
): string[] =>
  [...new Set([...Object.keys(manifest.tool_scopes), ...listed])].filter(
    (tool) => !tools.some(({ name }) => name === tool),
  );

/**
 * The choices with which saving has to do: where an entry names what it offers, an open tool that cannot be
 * named is not offered.
 */
export function accessAfter(entry: EntryAccess, chosen: ChosenAccess): ChosenAccess {
  if (entry.unlisted_tools === 'allow' && !closesOthers(entry, chosen)) {
    return chosen;
  }
  const settled = ([name, one]: [string, ToolAccess]): [string, ToolAccess] =>
    one.access === 'open' && !isListableTool(name) ? [name, { ...one, access: 'off' }] : [name, one];
  return Object.fromEntries(Object.entries(chosen).map(settled));
}

/** What is wrong with a scope, or null. */
export const scopeProblem = (scope: string): string | null =>
  scope === '' ? null : (toolScope.safeParse(scope).error?.issues[0]?.message ?? null);

/** What is wrong with the choice of a tool, or null: one that is gated names its scope. */
export const accessProblem = ({ access, scope }: ToolAccess): string | null =>
  access !== 'gated' ? null : scope === '' ? 'is required' : scopeProblem(scope);

/** Tools whose choice is another than the entry has. */
export const changedTools = (entry: EntryAccess, chosen: ChosenAccess): string[] =>
  Object.entries(chosen).flatMap(([name, { access, scope }]) => {
    const before = accessOf(entry, name);
    const isSame = before.access === access && (access !== 'gated' || before.scope === scope);
    return isSame ? [] : [name];
  });

/** Whether saving closes tools that nobody chose, those that the server adds later among them. */
export const closesOthers = (entry: EntryAccess, chosen: ChosenAccess): boolean =>
  entry.unlisted_tools === 'allow' && Object.values(chosen).some(({ access }) => access === 'off');

/**
 * What the entry then says of its tools; those that were not listed stay as they are. An entry can only leave
 * out a tool by naming those that it offers, so that the first one left out closes what is not named, and an
 * entry that names its tools continues to.
 */
export function accessWith(entry: EntryAccess, chosen: ChosenAccess): EntryAccess {
  const isChosen = (tool: string) => Object.hasOwn(chosen, tool);
  const named = Object.entries(accessAfter(entry, chosen));
  const tool_scopes = Object.fromEntries([
    ...Object.entries(entry.manifest.tool_scopes).filter(([tool]) => !isChosen(tool)),
    ...named.flatMap(([tool, { access, scope }]) => (access === 'gated' ? [[tool, scope] as const] : [])),
  ]);
  const manifest = { ...entry.manifest, tool_scopes };
  if (entry.unlisted_tools === 'allow' && !closesOthers(entry, chosen)) {
    return { manifest, unlisted_tools: 'allow', listed_tools: entry.listed_tools };
  }
  const open = named.flatMap(([tool, { access }]) => (access === 'open' ? [tool] : []));
  const kept = entry.listed_tools.filter((tool) => !isChosen(tool) && isListableTool(tool));
  return { manifest, unlisted_tools: 'refuse', listed_tools: [...kept, ...open] };
}
