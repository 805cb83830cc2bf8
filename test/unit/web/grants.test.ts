import { describe, expect, it } from '@jest/globals';
import { grantInput, grantProblems, grantScope, grantType } from '../../../contract/grant.ts';
import { queryOf, readFilter, withPart } from '../../../web/src/pages/grants/grant-filter.ts';
import {
  durationMeaning,
  endpointOf,
  inBatches,
  matterOf,
  scopesOf,
  usesText,
  widthOf,
} from '../../../web/src/pages/grants/grant-text.ts';
import {
  bodyOf,
  changed,
  emptyValues,
  fieldOf,
  missingIn,
  typesFor,
} from '../../../web/src/pages/grants/new-grant-values.ts';
import { scopesOfEntries } from '../../../web/src/pages/grants/scopes-of-entries.ts';

const id = '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0001';
const other = '0b8f1f0e-4c1d-4a55-8a8f-1d1f3a1f0002';
const admin = { isAdmin: true };

describe('the filter of grants', () => {
  const everything = { subject: null, type: null, state: 'active', width: null, by: null };

  it('shows active grants, unless the address says otherwise', () => {
    expect(readFilter(new URLSearchParams())).toEqual(everything);
    expect(queryOf(readFilter(new URLSearchParams()))).toEqual({ state: 'active' });
    expect(queryOf(readFilter(new URLSearchParams('state=all')))).toEqual({ include_revoked: 'true' });
  });

  it('asks the API for holder, type and state of the address', () => {
    const search = new URLSearchParams(`subject=agent:${id}&type=spawn&state=revoked`);
    expect(queryOf(readFilter(search))).toEqual({
      agent_subject_id: id,
      grant_type: 'spawn',
      state: 'revoked',
      include_revoked: 'true',
    });
  });

  it('asks for how far, by whom, what ends soon and what nobody uses', () => {
    const asked = (search: string) => queryOf(readFilter(new URLSearchParams(search)));
    expect(asked(`state=unused&width=persistent&by=${id}`)).toEqual({
      ...{ state: 'active', unused_days: 90, width: 'persistent', granted_by: id },
    });
    expect(asked('state=ending')).toEqual({ state: 'active', ends_within_days: 7 });
  });

  it('ignores invalid parts of the address', () => {
    const search = new URLSearchParams('subject=server:x&type=toString&state=gone&width=far');
    expect(readFilter(search)).toEqual(everything);
  });

  it('keeps the address short', () => {
    const search = withPart(new URLSearchParams('state=all&type=spawn'), 'state', 'active');
    expect(search.toString()).toBe('type=spawn');
  });
});

describe('how far a grant reaches', () => {
  it('is read from its scope, its call and its end', () => {
    const at = '2026-12-01T00:00:00Z';
    const grant = (
      scope: 'once' | 'session' | 'persistent',
      exact_call = false,
      expires_at: string | null = null,
    ) => widthOf({ scope, exact_call, expires_at });
    expect([grant('once', true), grant('once'), grant('session')]).toEqual(['exact_call', 'once', 'session']);
    expect([grant('persistent', false, at), grant('persistent')]).toEqual(['until', 'persistent']);
  });

  it('is revoked in batches that the API takes, none lost', () => {
    const ids = Array.from({ length: 120 }, (_, at) => String(at));
    expect(inBatches(ids).map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(inBatches(ids).flat()).toEqual(ids);
    expect(inBatches([])).toEqual([]);
  });
});

describe('how long a grant is in effect', () => {
  const once = { grant_type: 'tool_scope', scope: 'once' } as const;
  it('depends on one call where it is bound to that one', () => {
    expect(durationMeaning({ ...once, exact_call: true })).toBe(
      'Only the call that was approved uses it up.',
    );
    expect(durationMeaning({ ...once, exact_call: false })).toBe('The first call that needs it uses it up.');
  });
});

describe('a grant from the form', () => {
  it('is valid for the API, for every offered type, holder and scope', () => {
    for (const holder of [`user:${id}`, `agent:${id}`]) {
      for (const type of typesFor(holder, admin)) {
        const matter = { tool_scope: 'files.write', spawn: other, agent_env: 'TOKEN', model_key: 'KEY' }[
          type
        ];
        for (const scope of scopesOf(type)) {
          const values = { ...emptyValues, holder, type, matter, scope, session: other };
          expect(missingIn(values)).toEqual({});
          expect(grantProblems(grantInput.parse(bodyOf(values)))).toEqual([]);
        }
      }
    }
    expect(typesFor(`agent:${id}`, admin)).toEqual(expect.arrayContaining([...grantType.options]));
    expect(scopesOf('tool_scope')).toEqual(grantScope.options);
  });

  it('drops combinations that are no longer valid', () => {
    const values = { ...emptyValues, holder: `agent:${id}`, type: 'agent_env' as const, matter: 'TOKEN' };
    expect(changed(values, { holder: `user:${id}` }, admin)).toMatchObject({
      type: 'tool_scope',
      matter: '',
    });
    const forSession = { ...emptyValues, holder: `agent:${id}`, scope: 'session' as const, session: other };
    expect(changed(forSession, { holder: `agent:${other}` }, admin).session).toBe('');
    expect(changed(forSession, { type: 'agent_env' }, admin)).toMatchObject({ scope: 'once', session: '' });
  });

  it('does not offer members what only admins can grant', () => {
    expect(typesFor(`agent:${id}`, { isAdmin: false })).toEqual(['tool_scope', 'spawn']);
  });

  it('says what is missing, and shows problems of the API at their fields', () => {
    expect(Object.keys(missingIn({ ...emptyValues, scope: 'session' }))).toEqual([
      'holder',
      'matter',
      'session',
    ]);
    const paths = ['agent_subject_id', 'details.scope', 'details.endpoint', 'session_id', 'reason'];
    expect(paths.map(fieldOf)).toEqual(['holder', 'matter', 'endpoint', 'session', 'reason']);
  });
});

describe('grants as text', () => {
  it('counts uses as far as the platform does', () => {
    expect([0, 1, 2, 1000].map(usesText)).toEqual([
      'Never used',
      'Used once',
      'Used 2 times',
      'Used at least 1000 times',
    ]);
  });

  it('names what is granted', () => {
    expect(matterOf({ grant_type: 'spawn', details: { child_agent_id: id } })).toBe(id);
    expect(matterOf({ grant_type: 'tool_scope', details: {} })).toBe('(unreadable)');
    const details = { secret_name: 'KEY', endpoint: 'chat' };
    expect(matterOf({ grant_type: 'model_key', details })).toBe('KEY');
    expect(endpointOf({ grant_type: 'model_key', details })).toBe('chat');
    expect(endpointOf({ grant_type: 'agent_env', details })).toBeNull();
    expect(endpointOf({ grant_type: 'model_key', details: { secret_name: 'KEY' } })).toBeNull();
  });

  it('collects the tools of a scope over the whole catalog', () => {
    const manifest = (tool_scopes: Record<string, string>) => ({ env: {}, tool_scopes });
    const scopes = scopesOfEntries([
      { name: 'files', manifest: manifest({ write: 'w', edit: 'w' }), approvers: 'operator' },
      { name: 'mail', manifest: manifest({ send: 'w', list: 'a' }), approvers: 'admin' },
    ]);
    expect(scopes.map(({ scope, adminOnly, tools }) => [scope, adminOnly, tools.length])).toEqual([
      ['a', true, 1],
      ['w', true, 3],
    ]);
  });

  it('names the first tools of a scope and counts the others', () => {
    const tools = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`tool${at}`, 'w']));
    const entry = {
      name: 'files',
      manifest: { env: {}, tool_scopes: tools },
      approvers: 'operator',
    } as const;
    const [known] = scopesOfEntries([entry, { ...entry, name: 'mail' }]);
    expect(known).toMatchObject({ scope: 'w', moreTools: 400 });
    expect(known?.tools).toHaveLength(200);
    expect(known?.tools[0]).toEqual({ server: 'files', tool: 'tool0' });
  });
});
