/** How a server did lately, in a few words: what has to be looked at comes first. Pure. */
import { causeText } from '../../../../contract/session-process.ts';
import type { McpServerHealth } from '../../api/types.ts';
import { durationText } from '../../text/time-text.ts';
import type { Tone } from '../../text/tone.ts';

export interface HealthWords {
  tone: Tone;
  text: string;
  /** What more there is to say. */
  title?: string;
  /** Where it leads. */
  place: 'tools' | 'session' | 'check' | null;
}

/** `changedTools`: how many of its definitions wait for an admin. `version`: of the entry as it is now. */
export function healthOf(
  { last_check: check, sessions: { count, failed, last_failed } }: McpServerHealth,
  { changedTools, version }: { changedTools: number; version: number },
): HealthWords {
  if (changedTools > 0) {
    const text = changedTools === 1 ? '1 tool changed, review' : `${changedTools} tools changed, review`;
    return { tone: 'wait', text, place: 'tools' };
  }
  if (last_failed !== null) {
    return {
      tone: 'fail',
      text: `Failed in ${failed} of ${sessionsText(count)}`,
      title: `In the last 7 days. The last time it ${causeText[last_failed.cause]}.`,
      place: 'session',
    };
  }
  if (check !== null && check.entry_version === version) {
    return ofCheck(check);
  }
  if (count > 0) {
    return {
      tone: 'ok',
      text: `Worked in ${sessionsText(count)}`,
      title: 'In the last 7 days.',
      place: null,
    };
  }
  return {
    tone: 'idle',
    text: check === null ? 'Not used lately' : `Version ${version} is not checked`,
    place: check === null ? null : 'check',
  };
}

const sessionsText = (count: number) => (count === 1 ? '1 session' : `${count} sessions`);

function ofCheck({
  status,
  reason,
  handshake_ms: ms,
}: NonNullable<McpServerHealth['last_check']>): HealthWords {
  if (status === 'completed') {
    return { tone: 'ok', text: ms === null ? 'Answers' : `Answers in ${durationText(ms)}`, place: 'check' };
  }
  if (status === 'failed') {
    return { tone: 'fail', text: reason ?? 'The check failed', place: 'check' };
  }
  return status === 'cancelled'
    ? { tone: 'idle', text: 'Check cancelled', place: 'check' }
    : { tone: 'run', text: 'Being checked', place: 'check' };
}
