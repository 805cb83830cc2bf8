import { describe, expect, it } from '@jest/globals';
import { defaultServicePort, frozenServicePort } from '../../../contract/service-variables.ts';

const value = (text: string) => ({ PORT: { kind: 'value', value: text } as const });

describe('the port of a service', () => {
  it('is 8080 unless its PORT says otherwise', () => {
    expect(frozenServicePort({})).toEqual({ port: defaultServicePort, problem: null });
    expect(frozenServicePort(value('1024'))).toEqual({ port: 1024, problem: null });
    expect(frozenServicePort(value('65535'))).toEqual({ port: 65_535, problem: null });
  });

  it.each([
    '',
    '0',
    '80',
    '1023',
    '65536',
    '99999',
    '+8080',
    ' 8080',
    '8080 ',
    '8e3',
    '0x1f90',
    '080800',
    '٨٠٨٠',
  ])('is not %j', (text) => {
    expect(frozenServicePort(value(text))).toEqual({
      ...{ port: null, problem: 'must be a port from 1024 to 65535' },
    });
  });

  it('is no secret', () => {
    const PORT = { kind: 'secret', secret_name: 'WEB_PORT', secret_version: 1 } as const;
    expect(frozenServicePort({ PORT })).toEqual({
      ...{ port: null, problem: 'must be a plain value, and not a secret' },
    });
  });
});
