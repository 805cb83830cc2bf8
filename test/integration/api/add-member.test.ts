import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../../../contract/workspace.ts';
import { findUserByVerifiedEmail, upsertUser } from '../../../store/users/users.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let admin: Person;
let member: Person;
let base: string;

beforeAll(async () => {
  api = await startTestApi({ RATE_ADD_MEMBER_PER_MINUTE: '10' });
});
beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
});
afterAll(() => api.stop());

/** A person who signed in at a provider. */
const signedIn = (email: string, email_verified: boolean): Promise<User> =>
  upsertUser(api.db, {
    issuer: 'https://idp.test',
    subject: randomUUID(),
    email,
    name: 'Ida',
    email_verified,
  });
const address = () => `ida.${randomUUID()}@company.test`;
const add = (email: string, person = admin) =>
  person.send('POST', `${base}/members`, { email, role: 'member' });

describe('adding a member by e-mail address', () => {
  it('adds somebody who has signed in with a verified address, in whatever case it is written', async () => {
    const ida = await signedIn(address(), true);
    expect(await add(ida.email.toUpperCase())).toMatchObject({
      status: 201,
      body: { member: { user: ida, role: 'member' } },
    });
    expect(await add(ida.email)).toMatchObject({ status: 409 });
  });

  it('adds demo users if demo sign-in is on', async () => {
    const { user } = await api.person();
    expect(await add(user.email)).toMatchObject({ status: 201, body: { member: { user } } });
  });

  it('gives the same answer for an address that is unknown, unverified or ambiguous', async () => {
    const unverified = await signedIn(address(), false);
    const shared = await signedIn(address(), true);
    await signedIn(shared.email, true);
    const answers = await Promise.all([address(), unverified.email, shared.email].map((email) => add(email)));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'email', code: 'unknown_person' }] } },
      });
    }
    const texts = answers.map(({ text }) => text.replace(/"request_id":"[^"]*"/, ''));
    expect(new Set(texts).size).toBe(1);
    expect(await api.db('members').where({ user_id: unverified.id })).toEqual([]);
  });

  it('does not accept an address that is no longer verified', async () => {
    const email = address();
    const person = { issuer: 'https://idp.test', subject: randomUUID(), email, name: 'Ida' };
    await upsertUser(api.db, { ...person, email_verified: true });
    await upsertUser(api.db, { ...person, email_verified: false });
    expect(await add(email)).toMatchObject({ status: 422 });
  });

  it('is for admins of the workspace only', async () => {
    const ida = await signedIn(address(), true);
    expect(await add(ida.email, member)).toMatchObject({ status: 403 });
    const other = await api.workspace();
    expect(await add(ida.email, other.admin)).toMatchObject({ status: 404 });
  });

  it('is rate limited against enumeration', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await add(address())).toMatchObject({ status: 422 });
    }
    const answer = await add(address());
    expect(answer).toMatchObject({ status: 429 });
    expect(answer.text).toContain('by e-mail address');
  });
});

it('excludes demo users if demo sign-in is off', async () => {
  const { email } = (await api.person()).user;
  expect(await findUserByVerifiedEmail(api.db, email, { demoIssuer: 'demo' })).not.toBeNull();
  expect(await findUserByVerifiedEmail(api.db, email, { demoIssuer: null })).toBeNull();
});
