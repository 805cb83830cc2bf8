/**
 * The methods that may pass, by revision of the protocol and by direction (design 8). A list of what may pass, never of
 * what may not: what a later revision adds stays outside until somebody has looked at it.
 */
import { isObject, type Message, type Params } from '../json-rpc/message.ts';

/** `opening`: no message has decided yet. The names are the protocol revisions of either side of the change. */
export type Era = 'opening' | '2025-11-25' | '2026-07-28';

const versionKey = 'io.modelcontextprotocol/protocolVersion';

const sharedRequests = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
];
const requests2025 = new Set([
  ...sharedRequests,
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
]);
const requests2026 = new Set([...sharedRequests, 'server/discover', 'subscriptions/listen']);
const agentRequests: Record<Era, ReadonlySet<string>> = {
  // A probe, and whatever then opens the connection for good.
  opening: new Set(['server/discover']),
  '2025-11-25': requests2025,
  '2026-07-28': requests2026,
};

const agentNotifications: Record<Era, ReadonlySet<string>> = {
  opening: new Set(['notifications/cancelled']),
  '2025-11-25': new Set([
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'notifications/roots/list_changed',
    'notifications/tasks/status',
  ]),
  '2026-07-28': new Set(['notifications/cancelled']),
};

const serverNotifications = new Set([
  'notifications/message',
  'notifications/progress',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tasks/status',
  'notifications/subscriptions/acknowledged',
]);

/** The era after this message of the agent. A probe decides nothing; the first other call does, as servers have it. */
export function eraAfter(era: Era, message: Message): Era {
  const isCall = message.kind === 'request' || message.kind === 'notification';
  if (era !== 'opening' || !isCall || message.method === 'server/discover') {
    return era;
  }
  if (message.kind === 'notification' && agentNotifications.opening.has(message.method)) {
    return era;
  }
  return claimsModernRevision(message.params) ? '2026-07-28' : '2025-11-25';
}

/** A call of the 2026 revision says so in its `_meta`. */
export function claimsModernRevision(params: Params): boolean {
  const meta = params['_meta'];
  return isObject(meta) && typeof meta[versionKey] === 'string';
}

export function agentMay(era: Era, message: { kind: 'request' | 'notification'; method: string }): boolean {
  const allowed = message.kind === 'request' ? agentRequests : agentNotifications;
  return allowed[era].has(message.method);
}

/** A server may ask for a sign of life and nothing else: sampling, elicitation and roots would act on the agent. */
export function serverMay(message: { kind: 'request' | 'notification'; method: string }): boolean {
  return message.kind === 'request' ? message.method === 'ping' : serverNotifications.has(message.method);
}
