import { describe, expect, it } from '@jest/globals';
import {
  ClientNotificationSchema,
  ClientRequestSchema,
  ServerNotificationSchema,
  ServerRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ClientFeature } from '../../../../contract/catalog.ts';
import {
  agentMay,
  mayAskForInput,
  type ProtocolVersion,
  protocolVersionAfter,
  serverMay,
} from '../../../../sidecar/gate/method-policy.ts';
import type { Message } from '../../../../sidecar/json-rpc/message.ts';

const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
const request = (method: string, params = {}): Message => ({ kind: 'request', id: 1, method, params });

describe('the protocol version of a connection', () => {
  it('is decided by the first message that is not a probe, and never changes', () => {
    const opened = (...messages: Message[]) =>
      messages.reduce<ProtocolVersion>(protocolVersionAfter, 'opening');
    expect(opened(request('server/discover', modern))).toBe('opening');
    expect(opened(request('server/discover', modern), request('initialize'))).toBe('2025-11-25');
    expect(opened(request('server/discover', modern), request('tools/list', modern))).toBe('2026-07-28');
    expect(opened(request('tools/list'), request('tools/list', modern))).toBe('2025-11-25');
    expect(opened({ kind: 'result', id: 1, result: {} })).toBe('opening');
  });

  it('has its own methods', () => {
    expect(agentMay('2025-11-25', { kind: 'request', method: 'initialize' })).toBe(true);
    expect(agentMay('2025-11-25', { kind: 'request', method: 'server/discover' })).toBe(false);
    expect(agentMay('2026-07-28', { kind: 'request', method: 'initialize' })).toBe(false);
    expect(agentMay('2026-07-28', { kind: 'request', method: 'subscriptions/listen' })).toBe(true);
    expect(agentMay('2026-07-28', { kind: 'notification', method: 'notifications/initialized' })).toBe(false);
  });
});

describe('the methods of a revision', () => {
  type Union = { options: readonly { shape: { method: { value: string } } }[] };
  const methodsOf = ({ options }: Union) => options.map(({ shape }) => shape.method.value);
  /** Requests, then notifications, that the revision has in either direction. */
  const methods2025 = {
    fromAgent: { request: methodsOf(ClientRequestSchema), notification: methodsOf(ClientNotificationSchema) },
    fromServer: {
      request: methodsOf(ServerRequestSchema),
      notification: methodsOf(ServerNotificationSchema),
    },
  };
  /** As version 2 of the SDK registers them; it does not export its registry. */
  const methods2026 = {
    request: [
      ...['tools/call', 'tools/list', 'prompts/get', 'prompts/list', 'resources/list', 'resources/read'],
      ...['resources/templates/list', 'completion/complete', 'server/discover', 'subscriptions/listen'],
    ],
    fromServer: [
      ...['cancelled', 'progress', 'message', 'subscriptions/acknowledged'],
      ...['resources/updated', 'resources/list_changed', 'tools/list_changed', 'prompts/list_changed'],
    ].map((name) => `notifications/${name}`),
  };
  const every = [
    ...new Set([
      ...Object.values(methods2025).flatMap(({ request, notification }) => [...request, ...notification]),
      ...methods2026.request,
      ...methods2026.fromServer,
      ...['', 'rpc.discover', 'Tools/Call', 'tools/call ', 'notifications/', 'constructor', '__proto__'],
    ]),
  ];
  const kinds = ['request', 'notification'] as const;
  const passing = (may: (message: { kind: 'request' | 'notification'; method: string }) => boolean) =>
    Object.fromEntries(
      kinds.map((kind) => [kind, every.filter((method) => may({ kind, method })).toSorted()]),
    );
  const sorted = (request: string[], notification: string[]) => ({
    request: request.toSorted(),
    notification: notification.toSorted(),
  });

  it('of 2025 that pass from the agent are those of its clients, and nothing else', () => {
    const { request, notification } = methods2025.fromAgent;
    expect(passing((message) => agentMay('2025-11-25', message))).toEqual(sorted(request, notification));
  });

  const passingFromServer = (protocolVersion: ProtocolVersion, ...features: ClientFeature[]) =>
    passing((message) => serverMay(protocolVersion, message, new Set(features)) === 'passes');
  const { request: requests, notification: notifications } = methods2025.fromServer;
  const ofFeature = /^(elicitation|sampling|roots)\//;
  const isElicitation = (method: string) => method === 'notifications/elicitation/complete';

  it('of 2025 that pass from the server are its notifications and ping', () => {
    const expected = sorted(
      ['ping'],
      notifications.filter((method) => !isElicitation(method)),
    );
    expect(passingFromServer('2025-11-25')).toEqual(expected);
    expect(passingFromServer('opening')).toEqual(expected);
    expect(passingFromServer('opening', 'elicitation', 'roots', 'sampling')).toEqual(expected);
  });

  it('of 2025 that pass from a server whose entry allows features include those of the features', () => {
    expect(passingFromServer('2025-11-25', 'elicitation', 'roots', 'sampling')).toEqual(
      sorted(
        requests.filter((method) => method === 'ping' || ofFeature.test(method)),
        notifications,
      ),
    );
    expect(passingFromServer('2025-11-25', 'roots')['request']).toEqual(['ping', 'roots/list']);
    expect(passingFromServer('2025-11-25', 'sampling')['request']).toEqual([
      'ping',
      'sampling/createMessage',
    ]);
    expect(passingFromServer('2025-11-25', 'sampling')['notification']?.filter(isElicitation)).toEqual([]);
  });

  it('of 2025 that need a feature are refused without it', () => {
    const request = { kind: 'request' as const, method: 'elicitation/create' };
    expect(serverMay('2025-11-25', request, new Set(['roots', 'sampling']))).toBe(
      'client_feature_not_allowed',
    );
    const tasks = { kind: 'request' as const, method: 'tasks/get' };
    expect(serverMay('2025-11-25', tasks, new Set(['sampling']))).toBe('method_not_allowed');
  });

  it('of 2026 that pass from the agent are its requests and a cancellation', () => {
    expect(passing((message) => agentMay('2026-07-28', message))).toEqual(
      sorted(methods2026.request, ['notifications/cancelled']),
    );
  });

  it('of 2026 that pass from the server are notifications: it sends no requests', () => {
    const expected = sorted([], methods2026.fromServer);
    expect(passingFromServer('2026-07-28')).toEqual(expected);
    expect(passingFromServer('2026-07-28', 'elicitation', 'roots', 'sampling')).toEqual(expected);
  });

  it('before the revision is known are a probe and its cancellation', () => {
    expect(passing((message) => agentMay('opening', message))).toEqual(
      sorted(['server/discover'], ['notifications/cancelled']),
    );
  });

  it('that may be answered with a request for input are three, in 2026', () => {
    const asking = (protocolVersion: ProtocolVersion) =>
      every.filter((method) => mayAskForInput(protocolVersion, method)).toSorted();
    expect(asking('2026-07-28')).toEqual(['prompts/get', 'resources/read', 'tools/call']);
    expect([...asking('2025-11-25'), ...asking('opening')]).toEqual([]);
  });
});
