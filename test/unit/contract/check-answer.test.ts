import { expect, it } from '@jest/globals';
import { checkAnswer } from '../../../contract/sidecar.ts';

it('the answer to a check has one of the codes that the API gives, and is none with any other', () => {
  const withCode = (code: string) =>
    checkAnswer.safeParse({ decision: 'refused', code, scope: null }).success;
  const known = ['permission_required', 'gate_unavailable', 'server_unavailable'];
  expect(known.filter((code) => !withCode(code))).toEqual([]);
  const others = ['audit_unavailable', 'too_many_calls', 'invalid_message', 'runtime_requests_disabled', 'x'];
  expect(others.filter(withCode)).toEqual([]);
});
