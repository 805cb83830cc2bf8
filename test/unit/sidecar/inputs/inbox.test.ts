import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { InputMessage } from '../../../../contract/agent-contract.ts';
import { createInbox } from '../../../../sidecar/inputs/inbox.ts';

const message = (seq: number, id: string = randomUUID()): InputMessage => ({
  id,
  seq,
  kind: 'user_message',
  text: `message ${seq}`,
  decision: null,
  input_request_id: null,
  at: '2026-01-01T00:00:00Z',
});

describe('the inbox', () => {
  it('accepts each message once, however often and in whatever batches it is sent', () => {
    const inbox = createInbox();
    const [one, two, three] = [message(1), message(2), message(3)];
    const heard: number[] = [];
    inbox.subscribe(({ seq }) => heard.push(seq));
    inbox.accept([one, two]);
    inbox.accept([one, two, three]);
    inbox.accept([two]);
    expect(heard).toEqual([1, 2, 3]);
    expect(inbox.after(1).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('refuses messages after a gap, so that they are resent in order', () => {
    const inbox = createInbox();
    expect(() => inbox.accept([message(2)])).toThrow('the next one is number 1');
    expect(() => inbox.accept([message(1), message(3)])).toThrow('the next one is number 2');
    expect(inbox.lastSeq).toBe(1);
  });

  it('wakes a waiter for a future message, and finds a past one', async () => {
    const inbox = createInbox();
    const waiting = inbox.waitFor(({ seq }) => seq === 2, 5000);
    inbox.accept([message(1), message(2)]);
    expect(await waiting).toMatchObject({ seq: 2 });
    expect(await inbox.waitFor(({ seq }) => seq === 1, 0)).toMatchObject({ seq: 1 });
  });

  it('stops waiting on timeout, and when aborted', async () => {
    const inbox = createInbox();
    expect(await inbox.waitFor(() => true, 10)).toBeNull();
    const gone = new AbortController();
    const waiting = inbox.waitFor(() => true, 60_000, gone.signal);
    gone.abort();
    expect(await waiting).toBeNull();
  });
});
