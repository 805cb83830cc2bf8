import { describe, expect, it } from '@jest/globals';
import { persist } from '../../../../runtime/kubernetes/persist.ts';
import { ClusterError } from '../../../../runtime/kubernetes/requests.ts';

const { signal } = new AbortController();

function failing(times: number, error: ClusterError) {
  let calls = 0;
  return {
    calls: () => calls,
    work: async () => {
      calls += 1;
      if (calls <= times) {
        throw error;
      }
      return 'done';
    },
  };
}

describe('a call to the cluster', () => {
  it.each([
    ['no answer came', new ClusterError(null, 'ECONNREFUSED')],
    ['the server is overloaded', new ClusterError(503, 'overloaded')],
    [
      'the server has just started and knows no rights yet',
      new ClusterError(
        403,
        'pods "x" is forbidden: User "system:serviceaccount:s:worker" cannot get resource "pods"',
      ),
    ],
  ])('is repeated when %s', async (_why, error) => {
    expect(await persist(failing(2, error).work, signal)).toBe('done');
  });

  it.each([
    [
      'Pod Security',
      new ClusterError(403, 'pods "x" is forbidden: violates PodSecurity "restricted:latest"'),
    ],
    ['a quota', new ClusterError(403, 'pods "x" is forbidden: exceeded quota: sessions')],
    ['a rule of the server', new ClusterError(422, 'is invalid')],
  ])('is made once when it is refused by %s', async (_what, error) => {
    const attempts = failing(2, error);
    await expect(persist(attempts.work, signal)).rejects.toBe(error);
    expect(attempts.calls()).toBe(1);
  });

  it('is not repeated when its time is over', async () => {
    const error = new ClusterError(null, 'ECONNREFUSED');
    await expect(persist(failing(2, error).work, AbortSignal.abort())).rejects.toBe(error);
  });
});
