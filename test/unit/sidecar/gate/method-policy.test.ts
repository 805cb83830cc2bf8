import { describe, expect, it } from '@jest/globals';
import { agentMay, type Era, eraAfter, serverMay } from '../../../../sidecar/gate/method-policy.ts';
import type { Message } from '../../../../sidecar/json-rpc/message.ts';

const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
const request = (method: string, params = {}): Message => ({ kind: 'request', id: 1, method, params });

describe('the era of a connection', () => {
  it('is decided by the first message that is no probe, and stays', () => {
    const opened = (...messages: Message[]) => messages.reduce<Era>(eraAfter, 'opening');
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

it('a method is a request or a notification, never either', () => {
  expect(agentMay('2025-11-25', { kind: 'notification', method: 'tools/list' })).toBe(false);
  expect(agentMay('2025-11-25', { kind: 'request', method: 'notifications/cancelled' })).toBe(false);
  expect(serverMay({ kind: 'notification', method: 'ping' })).toBe(false);
});
