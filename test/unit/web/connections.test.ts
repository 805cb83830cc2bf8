/** Signing in to remote servers on the pages: what can be done when, and where the browser goes. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authorizationPage } from '../../../contract/authorization.ts';
import { notAllowedStart } from '../../../contract/sentences.ts';
import { authorizationAt, authorizationOf } from '../../../web/src/app/paths.ts';
import {
  asksAsShown,
  markedScopes,
  pageTitle,
  problemOf,
  viewOf,
} from '../../../web/src/pages/connections/authorization-text.ts';
import {
  filterOf,
  sessionStateLabel,
  sessionStates,
  sessionStateTone,
  stateOf,
} from '../../../web/src/pages/sessions/status-text.ts';
import { checkProperty } from '../../support/property.ts';

const parties = {
  issuer: 'https://auth.example',
  resource: 'https://mcp.example/notes',
  authorization_host: 'login.example',
};
const pending = { status: 'pending' as const, parties, origin: 'https://platform.example' };
const here = { origin: 'https://platform.example', isExpired: false };

describe('a sign-in', () => {
  it('is begun at the host of its page, at the address that people come back to', () => {
    expect(viewOf(pending, here)).toEqual({ kind: 'ready', host: 'login.example' });
    expect(viewOf(pending, { ...here, origin: 'http://127.0.0.1:8080' })).toEqual({
      kind: 'elsewhere',
      origin: 'https://platform.example',
    });
    expect(viewOf({ ...pending, parties: null }, here)).toEqual({ kind: 'unusable' });
  });

  it('is over when the API says so, or its time has passed', () => {
    for (const status of ['connected', 'expired', 'cancelled'] as const) {
      expect(viewOf({ ...pending, status }, { ...here, isExpired: true })).toEqual({ kind: status });
    }
    expect(viewOf(pending, { ...here, isExpired: true })).toEqual({ kind: 'expired' });
  });

  it('says what was not allowed, apart from what failed, and asks for what is missing', () => {
    const all = { mcp_server: 'desk', scopes: ['read', 'write'], missing_scopes: null };
    const more = { ...all, missing_scopes: ['write'] };
    const problem = `${notAllowedStart}The server says so.`;
    expect(problemOf({ ...more, problem })).toEqual({
      title: 'You did not allow write',
      text: 'The server says so.',
    });
    expect(problemOf({ ...all, problem })?.title).toBe('You did not allow read, write');
    expect(problemOf({ ...all, scopes: [], problem })?.title).toBe('You did not allow the sign-in to desk');
    expect(problemOf({ ...all, problem: 'It failed.' })?.title).toBe('You are not signed in so far');
    expect(problemOf({ ...all, problem: null })).toBeNull();
    expect([pageTitle(all), pageTitle(more)]).toEqual(['Sign in to desk', 'Allow write']);
    expect(pageTitle({ ...all, missing_scopes: ['a', 'b', 'c', 'd', 'e'] })).toBe('Allow a, b, c and 2 more');
  });

  const shown = { parties, scopes: ['read', 'write'] };
  const asked = 'resource=https%3A%2F%2Fmcp.example%2Fnotes&scope=read+write&state=x';

  it('leads to the host, and asks for the resource and the scopes, that were shown', () => {
    expect(asksAsShown(`https://login.example/authorize?${asked}`, shown)).toBe(true);
    const own = { ...shown, scopes: [] };
    expect(asksAsShown('https://login.example/?resource=https://mcp.example/notes&scope=own', own)).toBe(
      true,
    );
    expect(asksAsShown(`https://login.example/authorize?${asked}`, { ...shown, parties: null })).toBe(false);
    for (const url of [
      `https://login.example.evil.test/?${asked}`,
      `https://login.example@evil.test/?${asked}`,
      `https://evil.test/?login.example&${asked}`,
      `https://login.example:444/?${asked}`,
      `javascript:alert(1)//login.example?${asked}`,
      `data:text/html,login.example?${asked}`,
      `//login.example/?${asked}`,
      '',
      `https://login.example/?${asked.replace('notes', 'mail')}`,
      `https://login.example/?${asked.replace('read+write', 'read+write+admin')}`,
      `https://login.example/?${asked.replace('scope', 'scopes')}`,
    ]) {
      expect([url, asksAsShown(url, shown)]).toEqual([url, false]);
    }
    checkProperty(fc.property(fc.webUrl({ withQueryParameters: true }), (url) => !asksAsShown(url, shown)));
  });

  it('marks what the server asked for in the middle of a call', () => {
    const scopes = ['read', 'write'];
    const isNew = (missing: string[] | null) =>
      markedScopes({ scopes, missing_scopes: missing }).map((scope) => scope.isNew);
    expect([isNew(null), isNew(['write']), isNew([])]).toEqual([
      [false, false],
      [false, true],
      [false, false],
    ]);
  });
});

describe('the address of an event', () => {
  it('leads to the page that the API names', () => {
    checkProperty(
      fc.property(fc.uuid(), (id) => authorizationAt(authorizationPage(id)) === authorizationOf(id)),
    );
  });

  it.each([
    'https://evil.test/app/_/authorizations/00000000-0000-4000-8000-000000000000',
    '/app/_/authorizations/../../demo/secrets/x-0000-4000-8000-00000000',
    '/app/_/authorizations/unknown',
    'javascript:alert(1)',
  ])('is no link when it is %s', (url) => {
    expect(authorizationAt(url)).toBeNull();
  });
});

describe('the state of a session', () => {
  it('says whom it waits for, and is found by that', () => {
    const state = stateOf({ status: 'awaiting_authorization', waiting_for: 'sign_in' });
    expect([sessionStateLabel(state), sessionStateTone(state)]).toEqual(['Waiting for sign-in', 'wait']);
    expect(filterOf(state)).toEqual({ waiting_for: 'sign_in' });
    expect(filterOf('running')).toEqual({ status: 'running' });
  });

  it('is offered once as a filter, by its words', () => {
    const labels = sessionStates.map(sessionStateLabel);
    expect(new Set(labels).size).toBe(labels.length);
  });
});
