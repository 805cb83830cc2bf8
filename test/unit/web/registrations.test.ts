/**
 * Remote servers on the pages: where their registration stands, and what an admin reads before
 * accepting another issuer.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { McpRegistration, Shape } from '../../../web/src/api/types.ts';
import { attachOption, kindProblem } from '../../../web/src/pages/agents/attach-option.ts';
import {
  changedPart,
  differingPart,
  needsRedirectUri,
  otherHosts,
  signInText,
} from '../../../web/src/pages/catalog/registration/registration-text.ts';
import { askWhilePending, notReadyReason, notReadyWords } from '../../../web/src/text/registration-state.ts';
import { checkProperty } from '../../support/property.ts';

const parties = {
  issuer: 'https://auth.example',
  resource: 'https://mcp.example/notes',
  authorization_host: 'auth.example',
};
const ready: McpRegistration = {
  status: 'ready',
  reason: null,
  sign_in: 'oauth',
  parties,
  found: null,
  scopes: [],
  client: { kind: 'registered', client_id: 'x' },
  refused_sign_ins: null,
  redirect_uri: 'https://platform.example/api/oauth/callback/1',
  updated_at: '2026-01-01T00:00:00Z',
};
const failed: McpRegistration = {
  ...ready,
  status: 'failed',
  reason: 'It hangs.',
  sign_in: null,
  parties: null,
  client: null,
};
const pending: McpRegistration = { ...failed, status: 'pending', reason: null };
const shape: Extract<Shape, { type: 'remote' }> = { type: 'remote', url: 'https://mcp.example/notes' };
const header = { name: 'Authorization', prefix: 'Bearer ', variable: 'KEY' };

describe('an entry that is not ready', () => {
  it('says so, with the reason', () => {
    const [of, words] = [notReadyReason, notReadyWords];
    expect([of({ registration: null }), of({ registration: ready })]).toEqual([null, null]);
    expect(of({ registration: pending })).toMatch(/finding out/);
    expect(of({ registration: failed })).toBe('It hangs.');
    expect([null, ready, pending, failed].map((registration) => words({ registration }) !== null)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('is asked for while it is pending, and no longer', () => {
    const every = (...registrations: (McpRegistration | null)[]) =>
      askWhilePending(
        registrations.map((registration) => ({ registration })),
        2000,
      );
    expect([every(null, ready, pending), every(null, ready, failed), every()]).toEqual([2000, false, false]);
    expect(askWhilePending(undefined, 2000)).toBe(false);
  });
});

describe('a remote entry in the list of what an agent can attach', () => {
  const entry = { name: 'notes', shape, unavailable: null, registration: ready };
  const [worker, orchestrator] = [{ kind: 'worker' as const }, { kind: 'orchestrator' as const }];

  it('is for workers only', () => {
    expect(attachOption(entry, worker)).toEqual({ value: 'notes', label: 'notes', disabled: false });
    expect(attachOption(entry, orchestrator)).toMatchObject({
      label: expect.stringMatching(/^notes: is a remote server, which only agents of the kind "worker"/),
      disabled: true,
    });
    const command = { type: 'command' as const, command: 'x', args: [] };
    expect(kindProblem({ shape: command }, orchestrator)).toBeNull();
  });

  it('can be configured before it is ready, but not where it cannot run', () => {
    expect(attachOption({ ...entry, registration: failed }, worker)).toMatchObject({
      label: 'notes: not ready, its registration failed',
      disabled: false,
    });
    const unavailable = { reason: 'no sandbox' };
    expect(attachOption({ ...entry, unavailable, registration: failed }, worker)).toMatchObject({
      label: 'notes: cannot run here, no sandbox',
      disabled: true,
    });
  });
});

describe('the sign-in to a remote server', () => {
  it('is said in words', () => {
    const text = (more: Partial<McpRegistration>, headers = [header]) =>
      signInText({ shape: { ...shape, headers }, registration: { ...ready, ...more } });
    expect(text({ sign_in: 'none' })).toMatch(/not at all/);
    expect(text({ sign_in: 'headers' })).toBe('with a static key, in Authorization: Bearer {KEY}');
    expect(text({})).toMatch(/person who operates the session/);
    expect(text({ sign_in: null })).toBe('not known yet');
  });

  it.each<[string, Shape, McpRegistration | null, boolean]>([
    ['whose client the platform registered', shape, ready, false],
    ['of a registration that is under way', shape, pending, false],
    ['without a client', shape, failed, true],
    ['with a client by hand', shape, { ...ready, client: { kind: 'pre_registered', client_id: 'x' } }, true],
    ['with a client by hand that failed', { ...shape, client: { client_id: 'x' } }, failed, true],
    ['with a static key', { ...shape, headers: [header] }, failed, false],
    ['that is none', shape, { ...failed, sign_in: 'none' }, false],
    ['of another shape', { type: 'command', command: 'x', args: [] }, null, false],
  ])('%s shows its redirect URI where somebody needs it', (_, given, registration, shown) =>
    expect(needsRedirectUri({ shape: given, registration })).toBe(shown),
  );

  it('marks hosts that differ', () => {
    expect(otherHosts(parties)).toEqual({ issuer: true, page: false });
    expect(otherHosts({ ...parties, resource: 'https://auth.example/mcp' })).toEqual({
      issuer: false,
      page: false,
    });
    expect(otherHosts({ ...parties, authorization_host: 'auth.example:8443' }).page).toBe(true);
    expect(otherHosts({ ...parties, issuer: 'no address' })).toEqual({ issuer: true, page: true });
  });

  it('names what changed', () => {
    expect(changedPart(parties, { ...parties, issuer: 'https://other.example' })).toBe('issuer');
    expect(changedPart(parties, { ...parties, resource: 'https://mcp.example' })).toBe('resource');
  });
});

describe('the part in which two addresses differ', () => {
  it.each([
    ['https://auth.example', 'https://auth.examp1e', 'l'],
    ['https://auth.example', 'https://auth.example', ''],
    ['https://auth.example', 'https://auth.example/', ''],
    ['https://auth.example/', 'https://auth.example', '/'],
    ['https://aa.example', 'https://a.example', 'a'],
    ['https://x.example/😀', 'https://x.example/😁', '😀'],
  ])('of %s, beside %s, is "%s"', (text, other, differing) =>
    expect(differingPart(text, other).differing).toBe(differing),
  );

  it('leaves the text whole, and the rest is in both', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '\u200b'), maxLength: 8 });
    checkProperty(
      fc.property(text, text, (one, other) => {
        const [a, b] = [differingPart(one, other), differingPart(other, one)];
        expect(a.before + a.differing + a.after).toBe(one);
        expect([a.before, a.after]).toEqual([b.before, b.after]);
        expect(a.differing === '' && b.differing === '').toBe(one === other);
      }),
    );
  });
});
