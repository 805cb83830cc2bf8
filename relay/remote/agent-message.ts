/** What the bridge reads in a message of the agent, whose bytes are sent as they are. Pure. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { RemoteError, type RequestId } from './remote-error.ts';

export type Members = Readonly<Record<string, unknown>>;

export type AgentMessage =
  | { kind: 'request'; id: RequestId; method: string; params: Members; revision: string | null }
  | { kind: 'notification'; method: string; params: Members; revision: string | null }
  | { kind: 'response' };

/** `revision` is named in each message of 2026-07-28 and later, and in none before. */
export const revisionKey = 'io.modelcontextprotocol/protocolVersion';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws RemoteError `invalid_message`. */
export function parseAgentMessage(bytes: Buffer): AgentMessage {
  const value = parseText(bytes);
  if (!isObject(value)) {
    throw invalid('it must be one JSON object');
  }
  const { id, method } = value;
  if (method === undefined) {
    return { kind: 'response' };
  }
  if (typeof method !== 'string') {
    throw invalid('its method must be a string');
  }
  const params = isObject(value['params']) ? value['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const claimed = meta[revisionKey];
  const revision = typeof claimed === 'string' && /^[\x20-\x7e]{1,100}$/.test(claimed) ? claimed : null;
  if (id === undefined) {
    return { kind: 'notification', method, params, revision };
  }
  if (typeof id !== 'string' && typeof id !== 'number') {
    throw invalid('its id must be a string or a number');
  }
  return { kind: 'request', id, method, params, revision };
}

function parseText(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw invalid('it must be JSON in UTF-8');
  }
}

const invalid = (why: string) =>
  new RemoteError('invalid_message', `The message cannot be sent to the remote server: ${why}`);

/** The request that a notification cancels; null for any other message. */
export function cancelledRequest(message: AgentMessage): RequestId | null {
  const isCancellation = message.kind === 'notification' && message.method === 'notifications/cancelled';
  const id = isCancellation ? message.params['requestId'] : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/**
 * What the SDK's transport is given in the place of the message: the members that it makes headers from, or
 * takes as a reason to open the server's stream, in a form that its schemas accept whatever the message has.
 */
export function messageForTransport(message: AgentMessage): JSONRPCMessage {
  if (message.kind === 'response') {
    return { jsonrpc: '2.0', id: 0, result: {} };
  }
  const { method } = message;
  if (message.kind === 'notification') {
    return { jsonrpc: '2.0', method };
  }
  const { id } = message;
  return { jsonrpc: '2.0', id, method, params: method === 'initialize' ? anyInitialize : namesIn(message) };
}

const anyInitialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'agent', version: '0' },
};

function namesIn({
  params,
  revision,
}: {
  params: Members;
  revision: string | null;
}): Record<string, unknown> {
  const names = ['name', 'uri', 'taskId'].flatMap((key) =>
    typeof params[key] === 'string' ? [[key, params[key]] as const] : [],
  );
  return {
    ...Object.fromEntries(names),
    ...(revision === null ? {} : { _meta: { [revisionKey]: revision } }),
  };
}
