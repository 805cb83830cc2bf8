import { describe, expect, it } from '@jest/globals';
import { channelInput, deliveryFailure } from '../../../contract/channel.ts';
import {
  fieldOf,
  inputOf,
  newChannel,
  problemsOf,
  settingsOf,
  valuesOf,
} from '../../../web/src/pages/channels/channel-values.ts';
import {
  askWhileWaiting,
  deliveryDetail,
  deliveryText,
  failureTexts,
} from '../../../web/src/text/delivery-text.ts';

const id = '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f';
const at = '2026-03-01T12:00:00.000Z';

describe('the form of a channel', () => {
  it('begins with a channel that nobody can post to, and says what it lacks', () => {
    expect(newChannel).toMatchObject({ agents: [], announces: false });
    expect(problemsOf(newChannel)).toEqual({
      name: expect.stringContaining('must be 1 to 40'),
      secretName: 'is required',
    });
    expect(problemsOf({ ...newChannel, name: ' reports ', secretName: 'HOOK' })).toEqual({});
  });

  it('sends what the platform takes, and shows what it has', () => {
    const values = { name: ' reports ', secretName: 'HOOK', announces: true, agents: [id] };
    expect(channelInput.parse(inputOf(values))).toEqual({
      ...{ name: 'reports', kind: 'slack', address: `\${HOOK}` },
      ...{ announce_permission_requests: true, agents: [id] },
    });
    const channel = {
      ...{ id, name: 'reports', ...settingsOf(values), agents: [{ id, name: 'scribe' }] },
      ...{ kind: 'slack' as const, announce_permission_requests: true },
      ...{ created_at: at, updated_at: at, updated_by: null },
    };
    expect(valuesOf(channel)).toEqual({ ...values, name: 'reports' });
    expect([fieldOf('address'), fieldOf('name'), fieldOf('agents')]).toEqual([
      'secretName',
      'name',
      'agents',
    ]);
  });
});

describe('a delivery', () => {
  it('is said in a sentence, whatever its outcome', () => {
    const text = (status: 'pending' | 'delivered' | 'failed', attempts: number) =>
      deliveryText({ status, failure: status === 'failed' ? 'rejected' : null, attempts });
    expect([text('pending', 0), text('pending', 2), text('delivered', 1), text('failed', 1)]).toEqual([
      'Waiting to be delivered.',
      'Waiting to be tried again, after 2 attempts.',
      'Delivered after 1 attempt.',
      'The webhook rejected the message: check that its URL is still valid.',
    ]);
    const detail = (status: 'pending' | 'delivered' | 'failed', attempts: number) =>
      deliveryDetail({ status, failure: status === 'failed' ? 'rejected' : null, attempts });
    expect([detail('pending', 0), detail('delivered', 1)]).toEqual([null, null]);
    expect([detail('pending', 2), detail('delivered', 3), detail('failed', 1)]).toEqual([
      'Waiting to be tried again, after 2 attempts.',
      'Delivered after 3 attempts.',
      'The webhook rejected the message: check that its URL is still valid.',
    ]);
    for (const failure of deliveryFailure.options) {
      expect(failureTexts[failure]).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('is asked for again only while one waits', () => {
    expect(askWhileWaiting(undefined)).toBe(false);
    expect(askWhileWaiting([{ status: 'delivered' }, { status: 'failed' }])).toBe(false);
    expect(askWhileWaiting([{ status: 'delivered' }, { status: 'pending' }])).toBe(2000);
  });
});
