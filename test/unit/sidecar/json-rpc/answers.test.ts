import { describe, expect, it } from '@jest/globals';
import {
  cancelledNotice,
  errorAnswer,
  invalidMessageAnswer,
  type PlatformError,
  refusedCallAnswer,
  serverUnavailableAnswer,
} from '../../../../sidecar/json-rpc/answers.ts';

const read = (line: Buffer) => JSON.parse(line.toString());
const refused: PlatformError = {
  code: 'permission_required',
  scope: 'files.write',
  server: 'files',
  tool: 'write_file',
  message: 'No grant covers it.',
  next_steps: ['Ask for one.'],
};

describe('the gate’s own answers', () => {
  it('are errors with the id of the request, or without one', () => {
    expect(read(errorAnswer('a', -32601, 'no'))).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32601, message: 'no' },
    });
    expect(read(errorAnswer(null, -32600, 'no', { code: 'x' }))).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'no', data: { code: 'x' } },
    });
  });

  it('state why a message does not pass', () => {
    expect(read(invalidMessageAnswer(0, -32700, 'not_json'))).toEqual({
      jsonrpc: '2.0',
      id: 0,
      error: {
        code: -32700,
        message: 'The platform does not let this message pass: not_json',
        data: { code: 'invalid_message', reason: 'not_json' },
      },
    });
  });

  it('state what to do after a refused call, as a result in the form of either revision', () => {
    const result = {
      content: [{ type: 'text', text: JSON.stringify(refused) }],
      isError: true,
      _meta: { 'platform/error': refused },
    };
    expect(read(refusedCallAnswer(7, refused, false))).toEqual({ jsonrpc: '2.0', id: 7, result });
    expect(read(refusedCallAnswer(7, refused, true))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { ...result, resultType: 'complete' },
    });
  });

  it('name the unavailable server for another request', () => {
    expect(read(serverUnavailableAnswer(1, 'files', 'It is unreachable.', { cause: null }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32000,
        message: 'It is unreachable.',
        data: { code: 'server_unavailable', server: 'files' },
      },
    });
  });

  it('notify a server of a cancellation', () => {
    expect(read(cancelledNotice(1, 'timed out'))).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'timed out' },
    });
  });
});
