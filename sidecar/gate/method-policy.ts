/**
 * The methods that may pass, by protocol revision and direction. An allow-list: what a later revision adds
 * stays blocked until it has been reviewed.
 */
import type { ClientFeature } from '../../contract/catalog.ts';
import { isObject, type Message, type Params } from '../json-rpc/message.ts';

/**
 * `opening`: no message has decided yet. The names are the protocol revisions of either side of the change.
 */
export type ProtocolVersion = 'opening' | '2025-11-25' | '2026-07-28';

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
const agentRequests: Record<ProtocolVersion, ReadonlySet<string>> = {
  // A probe, and then the message that decides the protocol version.
  opening: new Set(['server/discover']),
  '2025-11-25': requests2025,
  '2026-07-28': requests2026,
};

const agentNotifications: Record<ProtocolVersion, ReadonlySet<string>> = {
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

const sharedServerNotifications = [
  'notifications/message',
  'notifications/progress',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
];
const serverNotifications2025 = new Set([...sharedServerNotifications, 'notifications/tasks/status']);
const serverNotifications: Record<ProtocolVersion, ReadonlySet<string>> = {
  opening: serverNotifications2025,
  '2025-11-25': serverNotifications2025,
  '2026-07-28': new Set([...sharedServerNotifications, 'notifications/subscriptions/acknowledged']),
};

/** Requests of a server to the agent, by the agent's feature that its catalog entry must allow. */
const featureOfRequest = new Map<string, ClientFeature>([
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
  ['sampling/createMessage', 'sampling'],
]);
/** Notifications about something that the server requested. */
const featureOfNotification = new Map<string, ClientFeature>([
  ['notifications/elicitation/complete', 'elicitation'],
]);

/** Requests of the 2026 revision that may be answered with a request for input. */
const roundMethods = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * The protocol version after this message of the agent. A probe decides nothing; the first other call
 * does, as servers have it.
 */
export function protocolVersionAfter(protocolVersion: ProtocolVersion, message: Message): ProtocolVersion {
  const isCall = message.kind === 'request' || message.kind === 'notification';
  if (protocolVersion !== 'opening' || !isCall || message.method === 'server/discover') {
    return protocolVersion;
  }
  if (message.kind === 'notification' && agentNotifications.opening.has(message.method)) {
    return protocolVersion;
  }
  return claimsModernRevision(message.params) ? '2026-07-28' : '2025-11-25';
}

/** A call of the 2026 revision says so in its `_meta`. */
function claimsModernRevision(params: Params): boolean {
  const meta = params['_meta'];
  return isObject(meta) && typeof meta[versionKey] === 'string';
}

export function agentMay(
  protocolVersion: ProtocolVersion,
  message: { kind: 'request' | 'notification'; method: string },
): boolean {
  const allowed = message.kind === 'request' ? agentRequests : agentNotifications;
  return allowed[protocolVersion].has(message.method);
}

export type ServerVerdict = 'passes' | 'method_not_allowed' | 'client_feature_not_allowed';

/**
 * A server of the 2025 revision may ping, and beyond that only request what its catalog entry allows:
 * sampling, elicitation and roots act on the agent at any time. One of the 2026 revision sends no requests,
 * but asks for input in an answer (`mayAskForInput`).
 */
export function serverMay(
  protocolVersion: ProtocolVersion,
  { kind, method }: { kind: 'request' | 'notification'; method: string },
  features: ReadonlySet<ClientFeature>,
): ServerVerdict {
  const isRequest = kind === 'request';
  const feature = (isRequest ? featureOfRequest : featureOfNotification).get(method);
  if (feature !== undefined && protocolVersion === '2025-11-25') {
    return features.has(feature) ? 'passes' : 'client_feature_not_allowed';
  }
  const passes = isRequest
    ? method === 'ping' && protocolVersion !== '2026-07-28'
    : serverNotifications[protocolVersion].has(method);
  return passes ? 'passes' : 'method_not_allowed';
}

/** May the answer to this request of the agent be a request for input? */
export function mayAskForInput(protocolVersion: ProtocolVersion, method: string): boolean {
  return protocolVersion === '2026-07-28' && roundMethods.has(method);
}

/** Processing more would block the event loop. */
const maxInputRequests = 256;

/**
 * Which feature of the agent's each of a server's `inputRequests` would use; null when one is unknown to
 * clients, or when there are too many.
 */
export function featuresAskedFor(inputRequests: Params): Map<string, ClientFeature> | null {
  const keys = Object.keys(inputRequests);
  if (keys.length > maxInputRequests) {
    return null;
  }
  const features = new Map<string, ClientFeature>();
  for (const key of keys) {
    const entry = inputRequests[key];
    const method = isObject(entry) ? entry['method'] : null;
    const feature = typeof method === 'string' ? featureOfRequest.get(method) : undefined;
    if (feature === undefined) {
      return null;
    }
    features.set(key, feature);
  }
  return features;
}
