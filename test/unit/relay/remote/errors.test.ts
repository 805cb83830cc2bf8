import { describe, expect, it } from '@jest/globals';
import { OutboundError } from '../../../../lib/outbound/errors.ts';
import { refusedStatus } from '../../../../relay/remote/refused-status.ts';
import { errorText, explainFailure, RemoteError } from '../../../../relay/remote/remote-error.ts';

describe('an error for the agent', () => {
  it('is JSON-RPC, on one line', () => {
    const error = new RemoteError('timed_out', 'x.test sent\nnothing');
    expect(JSON.parse(errorText('a', error))).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32603, message: 'x.test sent\nnothing', data: { code: 'timed_out' } },
    });
    expect(errorText(null, error)).not.toMatch(/"id"|\n/);
    expect(errorText(1, new RemoteError('invalid_message', 'x'))).toContain('-32600');
  });

  it('says what the guard says, and nothing of what was not foreseen', () => {
    expect(
      explainFailure(new OutboundError('address_refused', 'x.test has a private address')),
    ).toMatchObject({
      code: 'address_refused',
      message: 'x.test has a private address',
    });
    expect(explainFailure(new Error('Bearer secret')).message).not.toContain('secret');
    const known = new RemoteError('session_expired', 'x');
    expect(explainFailure(known)).toBe(known);
  });
});

describe('a status that is no success', () => {
  const refuse = (status: number, message: string | null = null, hadSession = false) =>
    refusedStatus({ host: 'x.test', status, hadSession, message, credentials: ['secret'] });

  it.each([
    [400, false, 'answer_refused'],
    [404, false, 'answer_refused'],
    [404, true, 'session_expired'],
    [405, true, 'answer_refused'],
    [410, true, 'session_expired'],
    [410, false, 'answer_refused'],
    [413, false, 'answer_refused'],
    [429, false, 'server_unavailable'],
    [500, false, 'server_unavailable'],
    [503, true, 'server_unavailable'],
  ])('%i, with a session: %s, is %s', (status, hadSession, code) => {
    expect(refuse(status, null, hadSession)).toMatchObject({
      code,
      message: expect.stringContaining(`(${status})`),
    });
  });

  it('400 whose words name a session ends that of the connection', () => {
    const words = 'Bad Request: No valid session ID provided';
    expect(refuse(400, words, true)).toMatchObject({
      code: 'session_expired',
      message: expect.stringContaining(`(400): "${words}"; open another connection`),
    });
    expect(refuse(400, words, false).code).toBe('answer_refused');
    expect(refuse(400, 'The name is missing', true).code).toBe('answer_refused');
    expect(refuse(400, null, true).code).toBe('answer_refused');
  });

  it.each(['Unknown session_id', 'Invalid sessionId', 'Mcp-Session-Id is not valid', 'SessionNotFound'])(
    '400 with "%s" does so, too',
    (words) => expect(refuse(400, words, true).code).toBe('session_expired'),
  );

  it("quotes the server's message on one line, unless it repeats a credential", () => {
    expect(refuse(400, 'No\n"such" thing').message).toBe(
      `x.test refuses the request (400): "No 'such' thing"`,
    );
    expect(refuse(400, 'x'.repeat(1000)).message.length).toBeLessThan(300);
    expect(refuse(400, 'got secret').message).toBe('x.test refuses the request (400)');
  });
});
