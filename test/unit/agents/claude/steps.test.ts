import { describe, expect, it } from '@jest/globals';
import { readSdkMessage } from '../../../../agents/claude/sdk-messages.ts';
import { createStepEvents, pieces } from '../../../../agents/model/publish-steps.ts';

const result = (content: unknown, is_error?: boolean) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content, is_error }] },
});
const calling = (name: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id: 'a', name, input: { secret: 'x' } }] },
});

describe('what the SDK says', () => {
  it('is read as steps, and left alone where it is something else', () => {
    expect(
      readSdkMessage({
        type: 'assistant',
        message: {
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: ' ' },
            { type: 'text', text: 'hi' },
          ],
        },
      }),
    ).toEqual([{ type: 'text', text: 'hi' }]);
    expect(readSdkMessage(result([{ type: 'text', text: 'one' }, { type: 'image' }], true))).toEqual([
      { type: 'result', id: 'a', failed: true, text: 'one' },
    ]);
    for (const other of [null, 'text', {}, { type: 'system', subtype: 'later' }, { type: 'assistant' }]) {
      expect(readSdkMessage(other)).toEqual([]);
    }
  });

  it('is read while it is written, but for what a part of it says to another', () => {
    const event = (given: object, more: object = {}) =>
      readSdkMessage({ type: 'stream_event', parent_tool_use_id: null, event: given, ...more });
    const delta = (given: object) => ({ type: 'content_block_delta', index: 0, delta: given });
    const begun = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    const piece = delta({ type: 'text_delta', text: 'hi' });
    expect(event(begun)).toEqual([{ type: 'piece', text: '', begins: true }]);
    expect(event(piece)).toEqual([{ type: 'piece', text: 'hi', begins: false }]);
    expect(event(piece, { parent_tool_use_id: 'toolu_1' })).toEqual([]);
    expect(event(delta({ type: 'thinking_delta', thinking: 'hm' }))).toEqual([]);
  });

  it('does not put its words on an error into the mouth of the model', () => {
    const content = [{ type: 'text', text: 'API Error: 403 no more' }];
    expect(
      readSdkMessage({ type: 'assistant', error: 'authentication_failed', message: { content } }),
    ).toEqual([]);
    const end = { type: 'result', is_error: true, result: 'API Error: 403 no more' };
    expect(readSdkMessage(end)).toEqual([{ type: 'turn_ended', error: 'API Error: 403 no more', queued: 0 }]);
    expect(readSdkMessage({ ...end, is_error: false, queued_turn_count: 2 })).toEqual([
      { type: 'turn_ended', error: null, queued: 2 },
    ]);
  });
});

describe('what people read', () => {
  const shown = (...messages: unknown[]) => {
    const eventsOf = createStepEvents();
    return messages.flatMap(readSdkMessage).flatMap(eventsOf);
  };
  const status = (text: string) => [{ type: 'agent.status', payload: { status: text, detail: null } }];

  it('is nothing of a call that the platform records', () => {
    const refusal = JSON.stringify({ code: 'permission_required', message: 'private' });
    for (const answer of [result('private'), result('private', true), result(refusal, true)]) {
      expect(shown(calling('mcp__files__write_file'), answer)).toEqual([]);
    }
  });

  it('is the outcome of any other call, without its arguments and its result', () => {
    expect(shown(calling('Read'), result('private'))).toEqual(status('Read: done'));
    expect(shown(calling('Read'), result('private', true))).toEqual(status('Read: failed'));
    const unknown = '<tool_use_error>Error: No such tool available: mcp__my-db__a__b</tool_use_error>';
    expect(shown(calling('mcp__my-db__a__b'), result(unknown, true))).toEqual(status('my-db.a__b: failed'));
    expect(shown(calling('mcp__my-db__a__b'), result(unknown))).toEqual([]);
  });

  it('names servers that are not connected, and that the model is asked again', () => {
    const servers = [
      { name: 'files', status: 'failed' },
      { name: 'platform', status: 'connected' },
    ];
    expect(shown({ type: 'system', subtype: 'init', mcp_servers: servers })).toMatchObject([
      { type: 'agent.error', payload: { message: 'The MCP server "files" is not connected.', fatal: false } },
    ]);
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10 };
    expect(shown({ ...retry, error_status: 529 })).toEqual(
      status('the model is not available (status 529); attempt 1 of 10'),
    );
    expect(shown({ ...retry, error_status: null })).toEqual(
      status('the model did not answer; attempt 1 of 10'),
    );
  });

  it('is a long text in pieces, none cut inside a character', () => {
    expect(pieces('ab😀cd', 3)).toEqual(['ab', '😀c', 'd']);
    expect(pieces('abc', 3)).toEqual(['abc']);
    expect(pieces('', 3)).toEqual([]);
    const text = '😀'.repeat(100_000);
    expect(shown({ type: 'assistant', message: { content: [{ type: 'text', text }] } })).toHaveLength(4);
    expect(pieces(text).join('')).toBe(text);
  });
});
