import { expect, it } from '@jest/globals';
import { frozenModelAccess } from '../../../contract/session.ts';

it('holds a reference to its key, and never a value', () => {
  const frozen = (api_key: object) =>
    frozenModelAccess.safeParse({
      endpoint: 'default',
      dialect: 'messages',
      api_key,
      models: [],
      requests_per_session: 1,
      tokens_per_session: 1,
    }).success;
  expect(frozen({ kind: 'secret', secret_name: 'KEY', secret_version: 1 })).toBe(true);
  expect(frozen({ kind: 'value', value: 'sk-plain' })).toBe(false);
});
