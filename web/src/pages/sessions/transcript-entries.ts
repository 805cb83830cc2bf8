/** The transcript: what was said, and between it what was done. Pure. */
import { platformServerName } from '../../../../contract/platform-server-name.ts';
import type { ToolCall } from '../../api/types.ts';
import type { TranscriptEvent } from './session-event-type.ts';

export type TranscriptEntry =
  | { kind: 'event'; key: string; at: string; event: TranscriptEvent }
  /** `times`: how many in a row it stands for. */
  | { kind: 'call'; key: string; at: string; call: ToolCall; times?: number };

/** Calls of the platform's own tools that leave an event: the event says it better. */
const toolsWithEvents = new Set([
  'emit_status',
  'emit_artifact',
  'emit_error',
  'request_input',
  'request_permission',
  'request_grant',
  'share',
  'preview_deploy',
  'post_message',
  'end_session',
  'spawn_session',
  'inject_message',
  'message_caller',
]);

export const leavesAnEvent = ({ server, tool, outcome }: ToolCall): boolean =>
  server === platformServerName && outcome === 'ok' && toolsWithEvents.has(tool);

/** The launch shows these, step by step. */
const launchStatuses = new Set<string>(['pending', 'validating', 'starting']);

const isLaunchStep = ({ content }: TranscriptEvent): boolean =>
  content?.type === 'session.status_changed' && launchStatuses.has(content.payload.to);

/** An agent makes a call that waits for a sign-in again and again: equal ones in a row are one entry. */
function addCall(entries: TranscriptEntry[], call: ToolCall): void {
  const last = entries.at(-1);
  const isRepeated =
    last?.kind === 'call' &&
    call.outcome === 'waiting' &&
    last.call.outcome === 'waiting' &&
    last.call.server === call.server &&
    last.call.tool === call.tool;
  if (isRepeated) {
    last.times = (last.times ?? 1) + 1;
  } else {
    entries.push({ kind: 'call', key: call.id, at: call.at, call });
  }
}

/**
 * Events in their order, each call before the first event that is later than its start. Calls come last
 * recorded first; events are never reordered, whatever their clocks say.
 */
export function transcriptEntries(
  events: readonly TranscriptEvent[],
  calls: readonly ToolCall[],
): TranscriptEntry[] {
  const ahead = calls
    .filter((call) => !leavesAnEvent(call))
    .toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
  const entries: TranscriptEntry[] = [];
  let taken = 0;
  const takeUntil = (timeMs: number) => {
    for (let call = ahead[taken]; call !== undefined && Date.parse(call.at) < timeMs; call = ahead[taken]) {
      addCall(entries, call);
      taken += 1;
    }
  };
  for (const event of events.filter((candidate) => !isLaunchStep(candidate))) {
    takeUntil(Date.parse(event.at));
    entries.push({ kind: 'event', key: event.id, at: event.at, event });
  }
  takeUntil(Number.POSITIVE_INFINITY);
  return entries;
}
