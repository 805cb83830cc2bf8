import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { parseEnvironment } from '../../../config/parse.ts';
import { refuseHalfTls, temporalConnection, temporalFields } from '../../../config/temporal.ts';

const schema = z
  .object(temporalFields)
  .superRefine((config, context) =>
    refuseHalfTls(config, (variable, message) =>
      context.addIssue({ code: 'custom', path: [variable], message }),
    ),
  );
const connection = (environment: Record<string, string>) =>
  temporalConnection(parseEnvironment(schema, { TEMPORAL_ADDRESS: 'temporal:7233', ...environment }));
const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----';

describe('the connection to Temporal', () => {
  it('is unencrypted only if nothing requests TLS', () => {
    expect(connection({})).toEqual({ address: 'temporal:7233', namespace: 'default' });
    expect(connection({ TEMPORAL_TLS: 'true', TEMPORAL_NAMESPACE: 'own' })).toEqual({
      address: 'temporal:7233',
      namespace: 'own',
      tls: {},
    });
  });

  it.each([
    [{ TEMPORAL_API_KEY: 'key' }, { apiKey: 'key', tls: {} }],
    [{ TEMPORAL_TLS_CA: pem }, { tls: { serverRootCACertificate: Buffer.from(pem) } }],
    [{ TEMPORAL_TLS_SERVER_NAME: 'name' }, { tls: { serverNameOverride: 'name' } }],
    [
      { TEMPORAL_TLS_CERT: pem, TEMPORAL_TLS_KEY: pem },
      { tls: { clientCertPair: { crt: Buffer.from(pem), key: Buffer.from(pem) } } },
    ],
  ])('turns TLS on for %j', (environment, expected) => {
    expect(connection(environment as Record<string, string>)).toMatchObject(expected);
  });

  it.each([
    [{ TEMPORAL_TLS_CERT: pem }, /belong together/],
    [{ TEMPORAL_TLS_KEY: pem }, /belong together/],
    [{ TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'key' }, /cannot be off/],
    [{ TEMPORAL_TLS_CA: '/etc/ca.pem' }, /must be PEM/],
  ])('refuses %j', (environment, message) => {
    expect(() => connection(environment as Record<string, string>)).toThrow(message);
  });
});
