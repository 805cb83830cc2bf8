/**
 * Asks about calls as a sidecar does: those of one session that come in the same turn of the
 * event loop share a request.
 */
import type * as z from 'zod';
import { type CheckAnswer, type checkRequest, maxChecks } from '../../contract/sidecar.ts';

type Check = z.infer<typeof checkRequest>;

interface Asked {
  check: Check;
  resolve(answer: CheckAnswer): void;
  reject(error: unknown): void;
}

/**
 * `ask` decides on some of several calls of a session, each named once; about the others it is asked again.
 */
export function checkTogether(
  ask: (sessionId: string, checks: Check[]) => Promise<ReadonlyMap<string, CheckAnswer>>,
): (sessionId: string, check: Check) => Promise<CheckAnswer> {
  const waiting = new Map<string, Asked[]>();
  const send = async (sessionId: string, batch: Asked[]) => {
    try {
      for (let left = batch; left.length > 0; ) {
        const answers = await ask(
          sessionId,
          left.map(({ check }) => check),
        );
        if (answers.size === 0) {
          throw new Error('no answer');
        }
        for (const { check, resolve } of left) {
          const answer = answers.get(check.call_id);
          answer === undefined ? undefined : resolve(answer);
        }
        left = left.filter(({ check }) => !answers.has(check.call_id));
      }
    } catch (error) {
      for (const { reject } of batch) {
        reject(error);
      }
    }
  };
  return (sessionId, check) =>
    new Promise((resolve, reject) => {
      const batch = waiting.get(sessionId) ?? [];
      const isFull =
        batch.length === maxChecks || batch.some((asked) => asked.check.call_id === check.call_id);
      if (isFull) {
        void send(sessionId, batch.splice(0));
      }
      if (batch.length === 0) {
        waiting.set(sessionId, batch);
        setImmediate(() => {
          if (batch.length > 0) {
            void send(sessionId, batch.splice(0));
          }
        });
      }
      batch.push({ check, resolve, reject });
    });
}

/** The grant that an answer names; null where it refuses the call. */
export const grantOf = (answer: CheckAnswer): { grantId: string } | null =>
  answer.decision === 'allowed' && answer.granted_via !== null ? { grantId: answer.granted_via } : null;
