/** How groups of the identity provider become roles (docs/sign-in.md#groups). */
import * as z from 'zod';
import { groupRule } from '../contract/group-rule.ts';
import { jsonList } from './parse.ts';

const example = '[{"value":"platform-team","workspace":"acme","role":"member"}]';

/** Each pair of value and workspace once. */
export const groupRules = jsonList(groupRule, example).refine(
  (rules) =>
    new Set(rules.map(({ value, workspace }) => JSON.stringify([value, workspace]))).size === rules.length,
  'must not name a value and a workspace together twice',
);

/** As long as a sign-in lasts. */
const longestRenewalMinutes = 12 * 60;
const renewalRule = `must be whole minutes, from 1 to ${longestRenewalMinutes}`;
/** RFC 6749, section 3.3. */
const oneScope = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const scopesRule = 'must be scopes, separated by single spaces';
const percentRule = 'must be a whole number from 0 to 100';

export const groupRuleFields = {
  OIDC_GROUP_RULES: groupRules.describe(
    'roles by groups of the identity provider, as JSON: value, workspace, role (docs/sign-in.md#groups)',
  ),
  OIDC_GROUPS_CLAIM: z
    .string()
    .min(1)
    .max(200)
    .default('groups')
    .describe('claim of the ID token or of userinfo that lists the groups of a person, as texts'),
  OIDC_MORE_SCOPES: z
    .string()
    .refine((text) => text.split(' ').every((each) => oneScope.test(each)), scopesRule)
    .optional()
    .describe(
      'asked for beside `openid email profile`, by spaces: what groups and refresh tokens are given for',
    ),
  OIDC_RENEWAL_MINUTES: z.coerce
    .number(renewalRule)
    .int(renewalRule)
    .min(1, renewalRule)
    .max(longestRenewalMinutes, renewalRule)
    .default(60)
    .describe('after which the groups of who is signed in are asked for again; at most 720'),
  OIDC_RULE_REMOVALS_PERCENT: z.coerce
    .number(percentRule)
    .int(percentRule)
    .min(0, percentRule)
    .max(100, percentRule)
    .default(20)
    .describe('of the members of a workspace, whom rules may remove or make members again within an hour'),
};
