/** The transcript: what was said, and between it what was done. Pure. */
import { platformServerName } from '../../../../contract/platform-server-name.ts';
import type { ToolCall } from '../../api/types.ts';
import type { TranscriptEvent } from './session-event-type.ts';

export type TranscriptEntry =
  | { kind: 'event'; key: string; at: string; event: TranscriptEvent }
  /** Alike, in a row. */
  | { kind: 'call'; key: string; at: string; calls: [ToolCall, ...ToolCall[]] }
  /** What an agent noted of its progress, in a row, after which something else came. */
  | { kind: 'steps'; key: string; at: string; events: TranscriptEvent[] };

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

/** Calls of one tool that ended alike, in a row, are one entry: also those that wait for a sign-in. */
function addCall(entries: TranscriptEntry[], call: ToolCall): void {
  const last = entries.at(-1);
  const isRepeated =
    last?.kind === 'call' &&
    last.calls[0].server === call.server &&
    last.calls[0].tool === call.tool &&
    last.calls[0].outcome === call.outcome &&
    last.calls[0].granted_via === call.granted_via &&
    last.calls[0].reason === call.reason;
  if (isRepeated) {
    last.calls.push(call);
  } else {
    entries.push({ kind: 'call', key: call.id, at: call.at, calls: [call] });
  }
}

/**
 * Events in their order, each call before the first event that is later than its start. Calls come last
 * recorded first; events are never reordered, whatever their clocks say. With `hasOlder` events, the calls
 * before the first of these come with the older ones.
 */
export function transcriptEntries(
  events: readonly TranscriptEvent[],
  calls: readonly ToolCall[],
  hasOlder = false,
): TranscriptEntry[] {
  const sinceMs = hasOlder ? Date.parse(events[0]?.at ?? '') : Number.NEGATIVE_INFINITY;
  const ahead = calls
    .filter((call) => !leavesAnEvent(call) && Date.parse(call.at) >= sinceMs)
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

/** So many in a row are folded. */
const fewestFolded = 3;

export const isStep = (entry: TranscriptEntry): boolean =>
  entry.kind === 'steps' || (entry.kind === 'event' && entry.event.content?.type === 'agent.status');

/** Steps in a row are one entry once something else came after them: the last ones say what happens now. */
export function foldSteps(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const folded: TranscriptEntry[] = [];
  let steps: TranscriptEntry[] = [];
  for (const entry of entries) {
    if (isStep(entry)) {
      steps.push(entry);
    } else {
      folded.push(...foldedRun(steps), entry);
      steps = [];
    }
  }
  return [...folded, ...steps];
}

function foldedRun(steps: TranscriptEntry[]): TranscriptEntry[] {
  const events = steps.flatMap((step) => (step.kind === 'event' ? [step.event] : []));
  const [first, last] = [events[0], events.at(-1)];
  // By the last one: earlier ones come to it when more is read, and it stays as it was unfolded.
  return first === undefined || last === undefined || events.length < fewestFolded
    ? steps
    : [{ kind: 'steps', key: `steps ${last.id}`, at: first.at, events }];
}

/** What the reader wants to see of a transcript. */
export const views = ['everything', 'messages', 'calls', 'decisions'] as const;
export interface Wanted {
  view: (typeof views)[number];
  hidesSteps: boolean;
  /** Empty for all. */
  search: string;
}

const messageTypes = new Set<string>([
  'user.message',
  'agent.message',
  'agent.channel_message',
  'agent.input_requested',
  'agent.shared',
  'agent.artifact',
  'agent.error',
  'session.message',
]);
const decisionTypes = new Set<string>(['agent.permission_request', 'permission.decided']);

/** Those that the reader wants to see. */
export function wantedEntries(entries: readonly TranscriptEntry[], wanted: Wanted): TranscriptEntry[] {
  const search = wanted.search.trim().toLowerCase();
  return entries.filter(
    (entry) =>
      !(wanted.hidesSteps && isStep(entry)) &&
      isOfView(entry, wanted.view) &&
      (search === '' || textOf(entry).toLowerCase().includes(search)),
  );
}

function isOfView(entry: TranscriptEntry, view: Wanted['view']): boolean {
  switch (view) {
    case 'everything':
      return true;
    case 'calls':
      return entry.kind === 'call';
    case 'messages':
      return entry.kind === 'event' && messageTypes.has(entry.event.type);
    case 'decisions':
      return entry.kind === 'event' && decisionTypes.has(entry.event.type);
  }
}

/** All that can be read of an entry, and the names of the calls. */
function textOf(entry: TranscriptEntry): string {
  return entry.kind === 'call'
    ? `${entry.calls[0].server}.${entry.calls[0].tool}`
    : (entry.kind === 'event' ? [entry.event] : entry.events)
        .flatMap(({ payload }) => stringsIn(payload))
        .join('\n');
}

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : [];
