import { describe, expect, it } from '@jest/globals';
import { apiConfig } from '../../../config/api.ts';
import { parseEnvironment } from '../../../config/parse.ts';
import { testEnvironment } from '../../support/api.ts';

const provider = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'platform',
  PUBLIC_URL: 'https://gate.example',
  DEMO_SIGN_IN: 'false',
};
const parsed = (variables: Record<string, string>) =>
  parseEnvironment(apiConfig, testEnvironment({ ...provider, ...variables }));
const rules = (...given: object[]) => ({ OIDC_GROUP_RULES: JSON.stringify(given) });
const rule = { value: 'staff', workspace: 'acme', role: 'member' };

describe('rules for groups', () => {
  it('are none by default, and then a list', () => {
    expect(parsed({})).toMatchObject({
      OIDC_GROUP_RULES: [],
      OIDC_GROUPS_CLAIM: 'groups',
      OIDC_RENEWAL_MINUTES: 60,
      OIDC_RULE_REMOVALS_PERCENT: 20,
    });
    const more = { ...rule, role: 'admin', value: 'leads' };
    expect(parsed(rules(rule, more)).OIDC_GROUP_RULES).toEqual([rule, more]);
  });

  it.each([
    ['a role that does not exist', rules({ ...rule, role: 'owner' }), /OIDC_GROUP_RULES: .*0\.role/],
    ['no workspace', rules({ value: 'staff', role: 'member' }), /OIDC_GROUP_RULES: .*0\.workspace/],
    ['what is no slug', rules({ ...rule, workspace: 'Acme Inc' }), /OIDC_GROUP_RULES: .*0\.workspace/],
    ['an empty value', rules({ ...rule, value: '' }), /OIDC_GROUP_RULES: .*0\.value/],
    ['an unknown field', rules({ ...rule, grants: ['all'] }), /OIDC_GROUP_RULES: .*grants/],
    ['a pair twice', rules(rule, { ...rule, role: 'admin' }), /OIDC_GROUP_RULES: .*twice/],
    ['no JSON', { OIDC_GROUP_RULES: 'staff=acme' }, /OIDC_GROUP_RULES: must be a list such as/],
    [
      'one rule without a list',
      { OIDC_GROUP_RULES: JSON.stringify(rule) },
      /OIDC_GROUP_RULES: must be a list/,
    ],
    ['more than 12 hours', { OIDC_RENEWAL_MINUTES: '721' }, /OIDC_RENEWAL_MINUTES: must be whole minutes/],
    ['less than a minute', { OIDC_RENEWAL_MINUTES: '0.5' }, /OIDC_RENEWAL_MINUTES: must be whole minutes/],
    ['more than all', { OIDC_RULE_REMOVALS_PERCENT: '101' }, /OIDC_RULE_REMOVALS_PERCENT: must be/],
    ['a scope in quotes', { OIDC_MORE_SCOPES: '"groups"' }, /OIDC_MORE_SCOPES: must be scopes/],
  ])('are refused at start with %s, by the name of the setting', (_what, variables, message) => {
    expect(() => parsed(variables)).toThrow(message);
  });

  it('need an identity provider', () => {
    const demo = testEnvironment(rules(rule));
    expect(() => parseEnvironment(apiConfig, demo)).toThrow(/OIDC_GROUP_RULES: needs OIDC_ISSUER/);
  });
});
