/** What the page makes of the counts. Pure. */
import type { ToolCall, WorkspaceInsights } from '../../api/types.ts';
import { type BarPart, requestParts, sumsOf } from '../../text/day-counts.ts';
import { durationWords } from '../../text/duration-words.ts';
import { callOutcomeText } from '../sessions/call-text.ts';

export type Outcome = ToolCall['outcome'];
type Calls = WorkspaceInsights['calls'];

/**
 * Of calls, from the bottom up: what passed has a scale of its own, beside which the others would be
 * nothing.
 */
export const passedParts = [{ name: 'passed', fill: 'plain' }] as const satisfies readonly BarPart[];
export const otherCallParts = [
  { name: 'refused', fill: 'refused' },
  { name: 'failed', fill: 'fail' },
  { name: 'unanswered', label: 'without an answer', fill: 'idle' },
] as const satisfies readonly BarPart[];

export type CallGroup = (typeof passedParts | typeof otherCallParts)[number]['name'];

export const outcomes = Object.keys(callOutcomeText) as Outcome[];

export function groupOf(outcome: Outcome): CallGroup {
  const { tone } = callOutcomeText[outcome];
  return tone === 'ok'
    ? 'passed'
    : tone === 'fail'
      ? 'failed'
      : tone === 'refused'
        ? 'refused'
        : 'unanswered';
}

/** The days with the outcomes of a group together. */
export const groupedCalls = (calls: Calls): ({ day: string } & Record<CallGroup, number>)[] =>
  calls.map((day) => {
    const of = (group: CallGroup) =>
      outcomes.reduce((sum, outcome) => sum + (groupOf(outcome) === group ? day[outcome] : 0), 0);
    return {
      ...{ day: day.day, passed: of('passed'), failed: of('failed') },
      ...{ refused: of('refused'), unanswered: of('unanswered') },
    };
  });

/** How often each outcome was, most frequent first, without those that never were. */
export const outcomeSums = (calls: Calls): { outcome: Outcome; count: number }[] =>
  outcomes
    .map((outcome) => ({ outcome, count: calls.reduce((sum, day) => sum + day[outcome], 0) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);

/** Of permission requests: how many there were, became what, and were approved of those that ended. */
export function requestSums(requests: WorkspaceInsights['requests']) {
  const sums = sumsOf(requestParts, requests);
  const of = (wanted: (typeof requestParts)[number]['name']) =>
    sums.find(({ name }) => name === wanted)?.sum ?? 0;
  const ended = of('approved') + of('denied') + of('expired');
  return {
    held: sums.reduce((all, { sum }) => all + sum, 0),
    ...{ approved: of('approved'), expired: of('expired'), open: of('open'), ended },
    decided: of('approved') + of('denied'),
    approvedPercent: ended === 0 ? null : Math.round((of('approved') / ended) * 100),
  };
}

/** "3 min 12 s"; from an hour on without seconds. */
export const decisionTimeText = (seconds: number): string =>
  durationWords(seconds < 3600 ? Math.round(seconds) : Math.round(seconds / 60) * 60);
