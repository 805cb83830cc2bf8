import { describe, expect, it } from '@jest/globals';
import type { SessionEvent, ToolCall } from '../../../web/src/api/types.ts';
import { launchDurationMs, launchSteps } from '../../../web/src/pages/sessions/launch-steps.ts';
import { openQuestions } from '../../../web/src/pages/sessions/open-questions.ts';
import { beginningOf, maxPreviewBytes, previewKind } from '../../../web/src/pages/sessions/preview-kind.ts';
import { readEvent } from '../../../web/src/pages/sessions/session-event-type.ts';
import { foldSteps, transcriptEntries } from '../../../web/src/pages/sessions/transcript-entries.ts';
import { undecidedRequests } from '../../../web/src/pages/sessions/waiting-requests.ts';
import { sizeText } from '../../../web/src/text/size-text.ts';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const second = (at: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, 0) + at * 1000).toISOString();

const event = (seq: number, type: SessionEvent['type'], payload: Record<string, unknown>) =>
  readEvent({
    id: id(seq),
    seq,
    session_id: id(0),
    type,
    at: second(seq),
    actor: { type: 'agent', id: id(0) },
    payload,
  });
const status = (seq: number, to: string) =>
  event(seq, 'session.status_changed', { from: null, to, reason: null });
const call = (at: number, more: Partial<ToolCall> = {}): ToolCall => ({
  id: id(1000 + at * 10),
  at: second(at),
  server: 'files',
  tool: 'read_file',
  duration_ms: 1,
  outcome: 'ok',
  reason: null,
  granted_via: null,
  ...more,
});

describe('the launch', () => {
  it('is shown step by step as it goes', () => {
    expect(launchSteps([status(1, 'pending'), status(2, 'validating')])).toMatchObject([
      { state: 'done', durationMs: 1000 },
      { state: 'current', durationMs: null },
      { state: 'ahead', durationMs: null },
    ]);
    expect(launchDurationMs([status(1, 'pending')])).toBeNull();
  });

  it('ends when the agent runs, and says how long it took', () => {
    const events = [
      status(1, 'pending'),
      status(3, 'validating'),
      status(4, 'starting'),
      status(9, 'running'),
    ];
    expect(launchSteps(events).map(({ durationMs }) => durationMs)).toEqual([2000, 1000, 5000]);
    expect(launchDurationMs(events)).toBe(8000);
  });

  it('starts siblings in its last step, where there are some', () => {
    const events = [status(1, 'starting')];
    expect(launchSteps(events, true).at(-1)?.label).toBe('Start the agent, its servers and siblings');
    expect(launchSteps(events, false).at(-1)?.label).toBe('Start the agent and its servers');
  });

  it('says in which step the session ended', () => {
    expect(launchSteps([status(1, 'pending'), status(2, 'validating'), status(3, 'failed')])).toMatchObject([
      { state: 'done' },
      { state: 'failed' },
    ]);
  });
});

describe('the transcript', () => {
  const said = (seq: number) => event(seq, 'agent.status', { status: 'x', detail: null });

  it('places each call where it started, and keeps the order of events', () => {
    const [late, early] = [call(5), call(2.5)];
    const entries = transcriptEntries([said(2), said(3)], [late, early]);
    expect(entries.map(({ key }) => key)).toEqual([id(2), early.id, id(3), late.id]);
  });

  it('shows calls of one tool that ended alike, in a row, as one, and no others', () => {
    const waiting = (at: number, more: Partial<ToolCall> = {}) => call(at, { outcome: 'waiting', ...more });
    const calls = [
      waiting(1),
      waiting(2),
      waiting(3),
      waiting(4, { tool: 'write_file' }),
      call(5),
      call(6),
      waiting(7),
      call(8, { outcome: 'refused' }),
      call(9),
    ];
    const shown = (events: Parameters<typeof transcriptEntries>[0]) =>
      transcriptEntries(events, calls).flatMap((entry) =>
        entry.kind === 'call' ? [[Date.parse(entry.at) - Date.parse(second(0)), entry.calls.length]] : [],
      );
    expect(shown([])).toEqual([
      [1000, 3],
      [4000, 1],
      [5000, 2],
      [7000, 1],
      [8000, 1],
      [9000, 1],
    ]);
    expect(shown([said(2)]).slice(0, 2)).toEqual([
      [1000, 1],
      [2000, 2],
    ]);
  });

  it('folds steps in a row once something else came after them', () => {
    const [one, two, three, four] = [said(1), said(2), said(3), said(4)];
    const message = event(5, 'agent.message', { text: 'Done' });
    const kinds = (events: Parameters<typeof transcriptEntries>[0], calls: ToolCall[] = []) =>
      foldSteps(transcriptEntries(events, calls)).map((entry) =>
        entry.kind === 'steps' ? entry.events.length : entry.kind,
      );
    expect(kinds([one, two, three, four])).toEqual(['event', 'event', 'event', 'event']);
    expect(kinds([one, two, three, four, message])).toEqual([4, 'event']);
    expect(kinds([one, two, message])).toEqual(['event', 'event', 'event']);
    expect(kinds([one, two, three, four], [call(3.5)])).toEqual([3, 'call', 'event']);
  });

  it('leaves out calls that an event describes, and nothing else', () => {
    const silent = call(1, { server: 'platform', tool: 'emit_status' });
    const refused = call(2, { server: 'platform', tool: 'emit_status', outcome: 'refused' });
    const entries = transcriptEntries([status(1, 'pending'), status(2, 'running')], [refused, silent]);
    expect(entries.map(({ key }) => key)).toEqual([id(2), refused.id]);
  });

  it('keeps an unknown event', () => {
    const strange = event(1, 'agent.status', { status: 'x', detail: null, new_field: 1 });
    expect(strange.content).toBeNull();
    expect(transcriptEntries([strange], [])).toHaveLength(1);
  });
});

it('finds the requests that its events do not show as decided', () => {
  const asked = (seq: number, request: number) =>
    event(seq, 'agent.permission_request', {
      request_id: id(request),
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: '',
      agent: { id: id(0), name: 'a' },
      session_id: id(0),
      tools: [],
      more_tools: 0,
      expires_at: second(100),
    });
  const decided = event(4, 'permission.decided', {
    request_id: id(11),
    grant_type: 'tool_scope',
    details: { scope: 'files.write' },
    status: 'expired',
    scope: null,
    grant_id: null,
    reason: null,
    decided_by: null,
  });
  expect(undecidedRequests([asked(1, 11), asked(2, 12), asked(3, 13), decided])).toEqual([id(12), id(13)]);
});

it('lets each message answer the oldest question', () => {
  const asked = (seq: number) =>
    event(seq, 'agent.input_requested', { input_request_id: id(seq), prompt: 'Which?', options: ['a'] });
  const answer = event(3, 'user.message', { message_id: id(3), text: 'a' });
  expect(openQuestions([asked(1), asked(2), answer]).map((question) => question.input_request_id)).toEqual([
    id(2),
  ]);
  expect(openQuestions([answer, asked(4)])).toHaveLength(1);
});

describe('an artifact', () => {
  const kind = (mime_type: string, size_bytes = 10) => previewKind({ mime_type, size_bytes });

  it('is shown as a picture only when no browser runs anything in it', () => {
    expect(kind('image/png')).toEqual({ as: 'image', type: 'image/png' });
    expect(kind('IMAGE/JPEG; charset=x')).toEqual({ as: 'image', type: 'image/jpeg' });
    for (const type of ['image/svg+xml', 'text/html', 'application/xhtml+xml', 'text/plain; charset=utf-8']) {
      expect(kind(type)).toEqual({ as: 'text' });
    }
  });

  it('is for download when it is neither text nor picture, or large', () => {
    for (const type of ['application/pdf', 'application/octet-stream', 'video/mp4', 'image/avif', '']) {
      expect(kind(type)).toBeNull();
    }
    expect(kind('text/plain', maxPreviewBytes + 1)).toBeNull();
  });

  it('shows the beginning of a long text, without half a character', () => {
    expect(beginningOf('abc', 3)).toEqual({ text: 'abc', cut: false });
    expect(beginningOf('abcd', 3)).toEqual({ text: 'abc', cut: true });
    expect(beginningOf('ab🎉c', 3)).toEqual({ text: 'ab', cut: true });
  });

  it('has a readable size', () => {
    expect([0, 1023, 1536, 3 * 1024 * 1024].map(sizeText)).toEqual(['0 B', '1023 B', '1.5 KiB', '3.0 MiB']);
  });
});
