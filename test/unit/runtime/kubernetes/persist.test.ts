import { describe, expect, it, jest } from '@jest/globals';
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
  ])('is retried when %s', async (_why, error) => {
    expect(await persist(failing(2, error).work, signal)).toBe('done');
  });

  it.each([
    [
      'Pod Security',
      new ClusterError(403, 'pods "x" is forbidden: violates PodSecurity "restricted:latest"'),
    ],
    ['a quota', new ClusterError(403, 'pods "x" is forbidden: exceeded quota: sessions')],
    ['a rule of the server', new ClusterError(422, 'is invalid')],
  ])('is not retried when it is refused by %s', async (_what, error) => {
    const attempts = failing(2, error);
    await expect(persist(attempts.work, signal)).rejects.toBe(error);
    expect(attempts.calls()).toBe(1);
  });

  it('is also retried when a server without loaded rights had been unreachable for long before', async () => {
    const away = new ClusterError(null, 'ECONNREFUSED');
    const noRight = new ClusterError(403, 'pods "x" is forbidden: User "worker" cannot get resource "pods"');
    const answers: (ClusterError | 'done')[] = [away, away, noRight, 'done'];
    const clock = jest.spyOn(Date, 'now');
    let now = 0;
    clock.mockImplementation(() => now);
    try {
      const work = async () => {
        const answer = answers.shift();
        if (answer instanceof ClusterError) {
          now += answer === away ? 60_000 : 1000;
          throw answer;
        }
        return answer;
      };
      expect(await persist(work, signal)).toBe('done');
    } finally {
      clock.mockRestore();
    }
  });

  it('is not retried after its deadline', async () => {
    const error = new ClusterError(null, 'ECONNREFUSED');
    await expect(persist(failing(2, error).work, AbortSignal.abort())).rejects.toBe(error);
  });
});
