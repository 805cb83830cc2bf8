import { describe, expect, it } from '@jest/globals';
import { workspaceSlug } from '../../../contract/names.ts';
import { slugOf } from '../../../web/src/pages/home/slug-of.ts';
import { isUserId } from '../../../web/src/pages/members/role-text.ts';
import { changesOf } from '../../../web/src/pages/settings/changes-of.ts';
import { fromLocalInput, toLocalInput } from '../../../web/src/text/local-time.ts';

describe('settings', () => {
  const before = {
    name: 'Demo',
    settings: {
      allow_runtime_permission_requests: true,
      keep_refused_calls: true,
      members_grant_persistent: false,
      require_passkey: false,
      log_tool_payloads: false,
      tool_call_retention_days: null,
    },
  };

  it('sends only what was changed, so that the changes of others stay', () => {
    expect(changesOf(before, before)).toEqual({});
    expect(changesOf(before, { ...before, name: 'New' })).toEqual({ name: 'New' });
    const settings = { ...before.settings, log_tool_payloads: true };
    expect(changesOf(before, { name: 'Demo', settings })).toEqual({ settings: { log_tool_payloads: true } });
  });
});

describe('the slug of a new workspace', () => {
  it.each([
    ['Demo', 'demo'],
    ['  Büro Köln & Co. ', 'buro-koln-co'],
    [`${'x'.repeat(39)} y`, 'x'.repeat(39)],
    ['東京', ''],
  ])('of %s is %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
    expect(slug === '' || workspaceSlug.safeParse(slug).success).toBe(true);
  });
});

describe('times in fields', () => {
  it('show the minute of the reader, and come back as the same minute', () => {
    const local = toLocalInput('2026-11-21T19:15:47.968Z');
    expect(local).toMatch(/^2026-11-2\dT\d\d:15$|^2026-11-2\dT\d\d:[034][05]$/);
    expect(fromLocalInput(local)).toBe('2026-11-21T19:15:00.000Z');
  });

  it('are empty for an invalid time', () => {
    expect(toLocalInput('soon')).toBe('');
    expect(fromLocalInput('')).toBeNull();
  });
});

describe('naming a person', () => {
  it('tells a user id from an address', () => {
    expect(isUserId(' 0B8F1F0E-4c1d-4a55-8a8f-1d1f3a1f0001 ')).toBe(true);
    expect(isUserId('ada@demo.test')).toBe(false);
  });
});
