/**
 * Members of `params` and `_meta` that the protocol defines. A lenient server may read another spelling of
 * one (another case, a compatibility form, an invisible character, `request_id` for `requestId`) as the
 * member itself, and then acts on what the gate did not check.
 */
import { isObject, type Params } from '../json-rpc/message.ts';
import { foldName } from './gate-map.ts';

const paramMembers = spellings([
  ...['_meta', 'name', 'arguments', 'task', 'inputResponses', 'requestState'],
  ...['requestId', 'reason', 'progressToken', 'progress', 'total', 'message', 'taskId', 'status'],
  ...['protocolVersion', 'capabilities', 'clientInfo', 'level', 'notifications'],
  ...['cursor', 'uri', 'ref', 'argument', 'context'],
]);

const metaPrefix = 'io.modelcontextprotocol/';
const metaMembers = spellings([
  'progressToken',
  ...[
    'protocolVersion',
    'clientInfo',
    'clientCapabilities',
    'logLevel',
    'related-task',
    'subscriptionId',
  ].map((name) => metaPrefix + name),
]);

/**
 * More, or longer ones, than any real use: folding them would block the event loop, so they count
 * as lookalikes unchecked.
 */
const maxMembers = 256;
const maxKeyLength = 512;

interface Spellings {
  exact: ReadonlySet<string>;
  folded: ReadonlySet<string>;
}

function spellings(members: readonly string[]): Spellings {
  return { exact: new Set(members), folded: new Set(members.map(foldMember)) };
}

function foldMember(key: string): string {
  return foldName(key).replace(/[\p{Cc}_-]/gu, '');
}

/**
 * Whether `params`, or its `_meta`, has a member that is not one of the protocol's
 * but could be taken for one.
 */
export function hasLookalikeMember(params: Params): boolean {
  const meta = params['_meta'];
  return hasLookalike(params, paramMembers) || (isObject(meta) && hasLookalike(meta, metaMembers));
}

function hasLookalike(members: Params, { exact, folded }: Spellings): boolean {
  const keys = Object.keys(members);
  if (keys.length > maxMembers || keys.some((key) => key.length > maxKeyLength)) {
    return true;
  }
  // A server that copies members one by one would set the prototype with `__proto__`.
  return keys.some((key) => !exact.has(key) && (key === '__proto__' || folded.has(foldMember(key))));
}
