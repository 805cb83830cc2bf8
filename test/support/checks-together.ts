/** Asks about calls as a sidecar does: those of one session that come in the same turn of the event loop share a request. */
import type * as z from 'zod';
import { type CheckAnswer, type checkRequest, maxChecks } from '../../contract/sidecar.ts';

type Check = z.infer<typeof checkRequest>;

interface Asked {
  check: Check;
  resolve(answer: CheckAnswer): void;
  reject(error: unknown): void;
}

/** `ask` decides on several calls of a session, each named once; it answers in the order of the calls. */
export function checkTogether(
  ask: (sessionId: string, checks: Check[]) => Promise<CheckAnswer[]>,
): (sessionId: string, check: Check) => Promise<CheckAnswer> {
  const waiting = new Map<string, Asked[]>();
  const send = async (sessionId: string, batch: Asked[]) => {
    try {
      const answers = await ask(
        sessionId,
        batch.map(({ check }) => check),
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        answer === undefined ? reject(new Error('no answer')) : resolve(answer);
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
