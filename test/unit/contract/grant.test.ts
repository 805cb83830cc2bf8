import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type GrantType,
  grantInput,
  grantProblems,
  grantScope,
  grantType,
  parseGrantDetails,
  secretGrantType,
} from '../../../contract/grant.ts';
import { checkProperty } from '../../support/property.ts';

const subject = randomUUID();
const soundDetails = {
  spawn: { child_agent_id: randomUUID() },
  tool_scope: { scope: 'files.write' },
  agent_env: { secret_name: 'TOKEN' },
  model_key: { secret_name: 'TOKEN', endpoint: 'default' },
} as const;

const optionalId = fc.option(fc.constant(subject), { nil: null });
const anyInput = fc.record({
  user_subject_id: optionalId,
  agent_subject_id: optionalId,
  grant_type: fc.constantFrom(...grantType.options),
  scope: fc.constantFrom(...grantScope.options),
  session_id: optionalId,
});
const parsed = (fields: object) => grantInput.parse({ reason: null, ...fields });
const withSoundDetails = anyInput.map((fields) =>
  parsed({ ...fields, details: soundDetails[fields.grant_type] }),
);

describe('a grant', () => {
  it('is valid exactly when subject, type, scope and session agree', () => {
    checkProperty(
      fc.property(withSoundDetails, (input) => {
        const oneSubject = (input.user_subject_id === null) !== (input.agent_subject_id === null);
        const holderFits = input.grant_type === 'tool_scope' || input.user_subject_id === null;
        const sessionFits = (input.scope === 'session') === (input.session_id !== null);
        expect(grantProblems(input).length === 0).toBe(oneSubject && holderFits && sessionFits);
      }),
    );
  });

  it('is bound to one call only as a once grant that answers a request', () => {
    const digest = 'a'.repeat(64);
    const body = { agent_subject_id: subject, grant_type: 'tool_scope', details: soundDetails.tool_scope };
    const problems = (fields: object) =>
      grantProblems(parsed({ ...body, scope: 'once', ...fields })).map(({ path }) => path);
    const named = { request_id: randomUUID(), call_digest: digest };
    expect(problems({ ...named, exact_call: true })).toEqual([]);
    expect(problems(named)).toEqual([]);
    expect(problems({ call_digest: digest })).toEqual(['call_digest']);
    expect(problems({ exact_call: true })).toEqual(['exact_call']);
    const wider = { scope: 'session', session_id: randomUUID() };
    expect(problems({ ...named, ...wider, exact_call: true })).toEqual(['exact_call']);
    expect(problems({ ...named, scope: 'persistent', exact_call: true })).toEqual(['exact_call']);
    expect(problems({ ...named, ...wider })).toEqual([]);
    for (const wrong of [{ exact_call: false }, { call_digest: digest.toUpperCase() }, { call_digest: '' }]) {
      expect(grantInput.safeParse({ ...body, scope: 'once', ...wrong }).success).toBe(false);
    }
  });

  it('names each field that is wrong', () => {
    const input = parsed({
      user_subject_id: subject,
      agent_subject_id: subject,
      grant_type: 'tool_scope',
      details: { scope: 'Files', more: 1 },
      scope: 'once',
      session_id: subject,
    });
    expect(grantProblems(input).map(({ path }) => path)).toEqual([
      'user_subject_id',
      'session_id',
      'details.scope',
      'details.more',
    ]);
  });

  it.each(grantType.options)('of type %s accepts its own details and no others', (type) => {
    expect(parseGrantDetails(type, soundDetails[type])).toEqual(soundDetails[type]);
    expect(() => parseGrantDetails(type, { ...soundDetails[type], more: true })).toThrow();
    expect(() => parseGrantDetails(type, {})).toThrow();
    // A secret is named the same way by each type that leads to one.
    const isOfSecret = (name: GrantType) => secretGrantType.safeParse(name).success;
    const others = grantType.options.filter(
      (name) => name !== type && !(isOfSecret(name) && isOfSecret(type)),
    );
    for (const other of others) {
      expect(() => parseGrantDetails(type, soundDetails[other])).toThrow();
    }
  });

  it('has no unknown field', () => {
    const result = grantInput.safeParse({
      agent_subject_id: subject,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      granted_by_user_id: subject,
    });
    expect(result.success).toBe(false);
  });
});
