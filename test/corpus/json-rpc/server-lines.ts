/**
 * Lines that an MCP server may send, and what the gate must say to each. The agent's request 7, a tool call,
 * waits for its answer, as does the server's request "p"; the catalog entry lets the server ask for
 * elicitation and for nothing else.
 */
import type { ProtocolVersion } from '../../../sidecar/gate/method-policy.ts';
import { type Line, lines } from './line.ts';

export interface ServerLine extends Line {
  protocolVersion: ProtocolVersion;
}

const of = (protocolVersion: ProtocolVersion, lines: Line[]): ServerLine[] =>
  lines.map((line) => ({ ...line, protocolVersion }));
const request = (method: string, id: string | number = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: {} });
const notification = (method: string) => JSON.stringify({ jsonrpc: '2.0', method, params: {} });
const result = (id: string | number, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
const asksFor = (result_: object) => result(7, { resultType: 'input_required', ...result_ });
const elicit = { method: 'elicitation/create', params: {} };

export const serverLines: ServerLine[] = [
  ...of('2025-11-25', [
    ...lines('passes', 'an answer to what waits', [
      result(7, { content: [] }),
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}',
    ]),
    ...lines('passes', 'a request that the entry allows', [request('ping'), request('elicitation/create')]),
    ...lines('passes', 'news', [
      notification('notifications/message'),
      notification('notifications/progress'),
      notification('notifications/tools/list_changed'),
      notification('notifications/elicitation/complete'),
    ]),
    ...lines('unknown_answer', 'an answer that nobody waits for', [
      result('7', {}),
      result(8, {}),
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}}',
    ]),
    ...lines('client_feature_not_allowed', 'a request that the entry does not allow', [
      request('sampling/createMessage'),
      request('roots/list'),
    ]),
    ...lines('method_not_allowed', 'a method that servers do not have', [
      request('tools/call'),
      request('initialize'),
      request('Elicitation/Create'),
      notification('notifications/initialized'),
      notification('elicitation/create'),
    ]),
    ...lines('id_in_use', 'an id that waits for the answer of the agent', [request('ping', 'p')]),
    ...lines('bad_input_request', 'a round, which this revision does not have', [
      asksFor({ requestState: 's' }),
    ]),
  ]),
  ...of('2026-07-28', [
    ...lines('passes', 'a round', [
      asksFor({ requestState: 's' }),
      asksFor({ inputRequests: { a: elicit } }),
      asksFor({ requestState: 's', inputRequests: { a: elicit } }),
    ]),
    ...lines('bad_input_request', 'a round that no client understands', [
      asksFor({}),
      asksFor({ inputRequests: {} }),
      asksFor({ requestState: 1, inputRequests: { a: elicit } }),
      asksFor({ inputRequests: { a: { method: 'tools/call' } } }),
      asksFor({ inputRequests: { a: elicit, b: null } }),
      asksFor({ inputRequests: [elicit] }),
    ]),
    ...lines('client_feature_not_allowed', 'a round that asks for what the entry does not allow', [
      asksFor({ inputRequests: { a: { method: 'sampling/createMessage' } } }),
      asksFor({ inputRequests: { a: elicit, b: { method: 'roots/list' } } }),
    ]),
    ...lines('method_not_allowed', 'a request of its own, which this revision does not have', [
      request('ping'),
      request('elicitation/create'),
      notification('notifications/elicitation/complete'),
    ]),
  ]),
];
