import { describe, expect, it } from '@jest/globals';
import type { AccessTokenAnswer, AccessTokenRequest } from '../../../../contract/remote-server.ts';
import { AccessTokens } from '../../../../relay/remote/authorized-request.ts';

const signal = new AbortController().signal;
const startedAtMs = Date.parse('2026-01-01T00:00:00Z');

/** Tokens `1`, `2` and so on, each good for `lifetimeMs`; null for those of a server that does not say. */
function open(lifetimeMs: number | null) {
  const clock = { nowMs: startedAtMs };
  const questions: AccessTokenRequest[] = [];
  const ask = async (question: AccessTokenRequest): Promise<AccessTokenAnswer> => {
    questions.push(question);
    const name = String(questions.length);
    await new Promise(setImmediate);
    const expires_at = lifetimeMs === null ? null : new Date(clock.nowMs + lifetimeMs).toISOString();
    return { result: 'token', access_token: name, token_id: `id-${name}`, expires_at };
  };
  return { clock, questions, tokens: new AccessTokens(ask, () => clock.nowMs) };
}
const values = (all: { value: string }[]) => all.map(({ value }) => value);

describe('access tokens', () => {
  it.each([
    ['for 5 s, since the person may disconnect', 60_000, 5_000],
    ['for 5 s of 33, since a tenth is left then and not before', 33_000, 5_000],
    ['until a tenth of their time is left', 4_000, 3_600],
    ['for 5 s without an end', null, 5_000],
  ])('are asked for once by those who ask together, and used %s', async (_, lifetimeMs, usedMs) => {
    const { clock, questions, tokens } = open(lifetimeMs);
    expect(tokens.last).toBe(null);
    const get = () => Promise.all([tokens.get(signal), tokens.get(signal), tokens.get(signal)]);
    expect(values(await get())).toEqual(['1', '1', '1']);
    clock.nowMs += usedMs - 1;
    expect(values(await get())).toEqual(['1', '1', '1']);
    clock.nowMs += 1;
    expect(values(await get())).toEqual(['2', '2', '2']);
    expect(questions).toEqual([{}, {}]);
    expect(tokens.last).toBe('2');
  });

  it('are replaced once by those whose token was refused', async () => {
    const { questions, tokens } = open(null);
    const first = await tokens.get(signal);
    const replace = (scopes: string[]) => tokens.replace(first, scopes, signal);
    expect(values(await Promise.all([replace([]), replace([])]))).toEqual(['2', '2']);
    // One that was not asked for with these scopes does not have them.
    expect(values(await Promise.all([replace(['a', 'b']), replace(['a']), replace([])]))).toEqual([
      '3',
      '3',
      '3',
    ]);
    expect(questions).toEqual([{}, { rejected: 'id-1' }, { rejected: 'id-1', missing_scopes: ['a', 'b'] }]);
  });

  it('that cannot be had leave the next one who asks its own turn', async () => {
    const answers: AccessTokenAnswer[] = [
      { result: 'authorization_required', message: 'Sign in.' },
      { result: 'token', access_token: 'a b', token_id: 'x', expires_at: null },
      { result: 'token', access_token: 'good', token_id: 'y', expires_at: null },
    ];
    const tokens = new AccessTokens(async () => answers.shift() ?? Promise.reject(new Error('no more')));
    await expect(tokens.get(signal)).rejects.toMatchObject({
      code: 'authorization_required',
      message: 'Sign in.',
    });
    await expect(tokens.get(signal)).rejects.toMatchObject({ code: 'credential_refused' });
    expect(values([await tokens.get(signal)])).toEqual(['good']);
  });
});
