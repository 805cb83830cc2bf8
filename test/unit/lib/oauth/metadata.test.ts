import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseAuthorizationServer, parseResourceMetadata } from '../../../../lib/oauth/metadata.ts';
import { checkProperty } from '../../../support/property.ts';
import { policy, refusalOf } from './refusal.ts';

const server = new URL('https://server.test/mcp');
const what = 'the document';
const resourceDocument = {
  resource: 'https://server.test/mcp',
  authorization_servers: ['https://issuer.test', 'https://issuer.test', 'https://other.test'],
  scopes_supported: ['a', 'b'],
};
const issuer = 'https://issuer.test';
const issuerDocument = {
  issuer,
  authorization_endpoint: 'https://issuer.test/authorize?tenant=1',
  token_endpoint: 'https://tokens.test/token',
  registration_endpoint: 'https://issuer.test/register',
  response_types_supported: ['code', 'token'],
  code_challenge_methods_supported: ['plain', 'S256'],
};
const readResource = (value: unknown) => parseResourceMetadata(value, server, what);
const readIssuer = (value: unknown, asked = issuer) => parseAuthorizationServer(policy, value, asked, what);
/** The document with one field changed; `undefined` takes it away. */
const changed = (document: object, fields: object) => JSON.parse(JSON.stringify({ ...document, ...fields }));

describe('protected resource metadata', () => {
  it('is read', () => {
    expect(readResource({ ...resourceDocument, unknown: [1] })).toEqual({
      resource: 'https://server.test/mcp',
      authorizationServers: ['https://issuer.test', 'https://other.test'],
      scopes: ['a', 'b'],
    });
    expect(readResource(changed(resourceDocument, { scopes_supported: undefined })).scopes).toBeNull();
    expect(
      readResource({ ...resourceDocument, bearer_methods_supported: ['body', 'header'] }).scopes,
    ).toHaveLength(2);
  });

  it.each([
    [{ resource: undefined }, 'resource_metadata_invalid', '"resource" is missing; it must be a text'],
    [{ resource: ['https://server.test'] }, 'resource_metadata_invalid', '"resource" holds a list'],
    [{ resource: 'https://honest.test' }, 'resource_refused', 'it is "https://honest.test"'],
    [
      { authorization_servers: undefined },
      'authorization_server_missing',
      '"authorization_servers" is missing',
    ],
    [{ authorization_servers: [] }, 'resource_metadata_invalid', 'it must name at least one'],
    [
      { authorization_servers: 'https://issuer.test' },
      'resource_metadata_invalid',
      'must be a list of texts',
    ],
    [{ authorization_servers: [{}] }, 'resource_metadata_invalid', 'must be a text'],
    [{ scopes_supported: ['a b'] }, 'resource_metadata_invalid', 'has an item that is no scope'],
    [{ scopes_supported: 'a' }, 'resource_metadata_invalid', '"scopes_supported" holds "a"'],
    [{ bearer_methods_supported: ['query'] }, 'feature_unsupported', '"bearer_methods_supported"'],
    [{ bearer_methods_supported: [] }, 'feature_unsupported', 'elsewhere than in the header'],
    [{ dpop_bound_access_tokens_required: true }, 'feature_unsupported', 'DPoP'],
    [{ tls_client_certificate_bound_access_tokens: true }, 'feature_unsupported', 'client certificate'],
  ])('is refused with %j', (fields, code, why) => {
    const refusal = refusalOf(() => readResource(changed(resourceDocument, fields)));
    expect(refusal).toMatchObject({ code, isTemporary: false });
    expect(refusal?.message).toContain(why);
  });
});

describe('authorization server metadata', () => {
  it('is read', () => {
    expect(readIssuer(issuerDocument)).toEqual({
      issuer,
      authorizationEndpoint: 'https://issuer.test/authorize?tenant=1',
      tokenEndpoint: 'https://tokens.test/token',
      registrationEndpoint: 'https://issuer.test/register',
      revocationEndpoint: null,
      tokenAuthMethods: ['client_secret_basic'],
      revocationAuthMethods: ['client_secret_basic'],
      refreshesTokens: true,
      scopes: null,
      takesClientMetadataUrls: false,
      sendsIssuer: false,
    });
  });

  it('is read with all that it may say', () => {
    const all = {
      revocation_endpoint: 'https://issuer.test/revoke',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['none'],
      grant_types_supported: ['authorization_code'],
      scopes_supported: ['openid'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    };
    expect(readIssuer({ ...issuerDocument, ...all })).toMatchObject({
      revocationEndpoint: 'https://issuer.test/revoke',
      tokenAuthMethods: ['client_secret_post', 'none'],
      revocationAuthMethods: ['none'],
      refreshesTokens: false,
      scopes: ['openid'],
      takesClientMetadataUrls: true,
      sendsIssuer: true,
    });
  });

  it('is read with members that are null or empty', () => {
    const names = [
      ...['registration_endpoint', 'revocation_endpoint', 'response_modes_supported', 'scopes_supported'],
      ...['grant_types_supported', 'token_endpoint_auth_methods_supported'],
      ...['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'],
    ];
    const without = changed(issuerDocument, { registration_endpoint: undefined });
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect(readIssuer({ ...without, ...nulls })).toEqual(readIssuer(without));
    expect(readIssuer({ ...without, registration_endpoint: '', revocation_endpoint: '' })).toEqual(
      readIssuer(without),
    );
    const unsaid = { scopes_supported: null, bearer_methods_supported: null };
    expect(readResource({ ...resourceDocument, ...unsaid }).scopes).toBeNull();
  });

  it('is read with as many scopes as large providers have', () => {
    const scopes = Array.from({ length: 2000 }, (_, at) => `scope.${at}`);
    expect(readIssuer({ ...issuerDocument, scopes_supported: scopes }).scopes).toHaveLength(2000);
  });

  it.each([
    ['https://issuer.test', 'https://issuer.test/'],
    ['https://issuer.test/', 'https://issuer.test'],
    ['https://issuer.test/tenant/', 'https://issuer.test/tenant'],
  ])('that was asked for as %s may be of %s, and is called so', (asked, own) => {
    expect(readIssuer({ ...issuerDocument, issuer: own }, asked).issuer).toBe(own);
  });

  it.each([
    'https://issuer.test//',
    'https://ISSUER.test',
    'https://issuer.test:443',
    'https://issuer.test/%74enant',
    'HTTPS://issuer.test',
    'https://issuer.test.',
    'https://issuer.test/tenant',
    '/',
    '',
  ])('of the issuer %s is not the one of https://issuer.test', (other) => {
    const refusal = refusalOf(() => readIssuer({ ...issuerDocument, issuer: other }));
    expect(refusal).toMatchObject({ code: 'issuer_mismatch' });
    expect(refusal?.message).toContain(`"${other}", but "https://issuer.test" was asked`);
    expect(refusalOf(() => readIssuer({ ...issuerDocument, issuer: other }, other))).toBeNull();
  });

  it.each([
    ['without PKCE', { code_challenge_methods_supported: undefined }, 'pkce_unsupported', 'is missing'],
    [
      'with plain PKCE alone',
      { code_challenge_methods_supported: ['plain'] },
      'pkce_unsupported',
      'lacks "S256" (it has "plain")',
    ],
    [
      'with PKCE in another case',
      { code_challenge_methods_supported: ['s256'] },
      'pkce_unsupported',
      'lacks "S256"',
    ],
    [
      'with PKCE as a text',
      { code_challenge_methods_supported: 'S256' },
      'authorization_server_invalid',
      'must be a list',
    ],
    [
      'without a token endpoint',
      { token_endpoint: undefined },
      'authorization_server_invalid',
      '"token_endpoint" is missing',
    ],
    [
      'without an authorization endpoint',
      { authorization_endpoint: undefined },
      'authorization_server_invalid',
      'is missing',
    ],
    [
      'without response types',
      { response_types_supported: undefined },
      'authorization_server_invalid',
      'is missing',
    ],
    [
      'without the response type code',
      { response_types_supported: ['code id_token'] },
      'feature_unsupported',
      'lacks "code"',
    ],
    [
      'without the grant',
      { grant_types_supported: ['implicit'] },
      'feature_unsupported',
      'lacks "authorization_code"',
    ],
    ['with forms alone', { response_modes_supported: ['form_post'] }, 'feature_unsupported', 'lacks "query"'],
    [
      'that wants pushed requests',
      { require_pushed_authorization_requests: true },
      'feature_unsupported',
      'pushed',
    ],
    ['that wants signed requests', { require_signed_request_object: true }, 'feature_unsupported', 'signed'],
    [
      'with a flag that is a text',
      { authorization_response_iss_parameter_supported: 'true' },
      'authorization_server_invalid',
      'must be true or false',
    ],
    [
      'with a script to open',
      { authorization_endpoint: 'javascript:alert(1)' },
      'endpoint_refused',
      '"authorization_endpoint"',
    ],
    [
      'with data to open',
      { authorization_endpoint: 'data:text/html,x' },
      'endpoint_refused',
      'begins with https://',
    ],
    [
      'with an app to open',
      { authorization_endpoint: 'app://authorize' },
      'endpoint_refused',
      'begins with https://',
    ],
    [
      'with a plain token endpoint',
      { token_endpoint: 'http://issuer.test/token' },
      'endpoint_refused',
      'is not https',
    ],
    [
      'with a password in an endpoint',
      { token_endpoint: 'https://a:b@issuer.test/' },
      'endpoint_refused',
      'user name',
    ],
    [
      'with a fragment in an endpoint',
      { registration_endpoint: 'https://issuer.test/#x' },
      'endpoint_refused',
      'fragment',
    ],
    [
      'with a private endpoint',
      { revocation_endpoint: 'https://10.0.0.1/' },
      'endpoint_refused',
      'private address',
    ],
    [
      'with an endpoint of a cloud',
      { authorization_endpoint: 'https://169.254.169.254/' },
      'endpoint_refused',
      'never connected to',
    ],
    ['with an endpoint that is none', { token_endpoint: 1 }, 'authorization_server_invalid', 'holds number'],
  ])('is refused %s', (_what, fields, code, why) => {
    const refusal = refusalOf(() => readIssuer(changed(issuerDocument, fields)));
    expect(refusal).toMatchObject({ code, isTemporary: false });
    expect(refusal?.message).toContain(why);
  });

  it('an issuer is its own text and no other', () => {
    checkProperty(
      fc.property(fc.webUrl(), fc.webUrl(), (asked, said) => {
        const refusal = refusalOf(() => readIssuer({ ...issuerDocument, issuer: said }, asked));
        expect(refusal === null).toBe(asked === said);
      }),
    );
  });
});

it('no document makes the reader fail otherwise', () => {
  const fields = { ...resourceDocument, ...issuerDocument };
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record(
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [key, fc.oneof(fc.constant(value), fc.jsonValue())]),
      ),
      { requiredKeys: [] },
    ),
  );
  checkProperty(
    fc.property(anything, (value) => {
      for (const read of [readResource, readIssuer]) {
        const refusal = refusalOf(() => read(value));
        expect((refusal?.message.length ?? 0) < 1000).toBe(true);
      }
    }),
  );
});
