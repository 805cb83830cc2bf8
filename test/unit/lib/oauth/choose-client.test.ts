import { describe, expect, it } from '@jest/globals';
import {
  buildClientMetadataDocument,
  chooseClient,
  chooseTokenAuthMethod,
  isPublicDocument,
} from '../../../../lib/oauth/choose-client.ts';
import { authorizationServer as server } from './authorization-server.ts';
import { refusalOf } from './refusal.ts';

const metadataUrl = 'https://platform.test/oauth/clients/1.json';
const preRegistered = { clientId: 'entered', hasSecret: true };

describe('the client', () => {
  it.each([
    ['entered comes first', {}, { preRegistered, metadataUrl }, 'pre_registered', 'client_secret_basic'],
    [
      'entered without a secret shows none',
      {},
      { preRegistered: { clientId: 'entered', hasSecret: false }, metadataUrl },
      'pre_registered',
      'none',
    ],
    ['of a document comes next', {}, { preRegistered: null, metadataUrl }, 'metadata_document', 'none'],
    [
      'is registered where no document is taken',
      { takesClientMetadataUrls: false },
      { preRegistered: null, metadataUrl },
      'registered',
      'client_secret_basic',
    ],
    [
      'is registered without a document',
      {},
      { preRegistered: null, metadataUrl: null },
      'registered',
      'client_secret_basic',
    ],
    [
      'is registered where the document could not be fetched',
      {},
      { preRegistered: null, metadataUrl: 'https://10.0.0.1/client.json' },
      'registered',
      'client_secret_basic',
    ],
    [
      'is registered where every client has a secret',
      { tokenAuthMethods: ['client_secret_post' as const] },
      { preRegistered: null, metadataUrl },
      'registered',
      'client_secret_post',
    ],
  ])('%s', (_what, changed, options, kind, tokenAuthMethod) => {
    expect(chooseClient(server(changed), options)).toMatchObject({ kind, tokenAuthMethod });
  });

  it.each([
    [
      'that can be had in no way',
      { registrationEndpoint: null, takesClientMetadataUrls: false },
      { preRegistered: null, metadataUrl },
      'client_missing',
      'register the platform there and enter',
    ],
    [
      'whose secret was not entered',
      { tokenAuthMethods: ['client_secret_basic' as const] },
      { preRegistered: { clientId: 'x', hasSecret: false }, metadataUrl: null },
      'feature_unsupported',
      "enter the client's secret, too",
    ],
    [
      'that would need a key',
      { tokenAuthMethods: [] },
      { preRegistered, metadataUrl: null },
      'feature_unsupported',
      'client_secret_basic, client_secret_post',
    ],
  ])('%s is refused', (_what, changed, options, code, why) => {
    const refusal = refusalOf(() => chooseClient(server(changed), options));
    expect(refusal).toMatchObject({ code });
    expect(refusal?.message).toContain(why);
  });
});

describe('the method of authentication', () => {
  const methods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
  const subsets = Array.from({ length: 8 }, (_, bits) =>
    methods.filter((_method, at) => (bits >> at) % 2 === 1),
  );
  it.each(subsets.map((subset) => [subset]))('is the safest of %j', (subset) => {
    for (const [having, wanted] of [
      ['any', methods],
      ['secret', methods.slice(0, 2)],
      ['none', methods.slice(2)],
    ] as const) {
      const best = wanted.find((method) => subset.includes(method));
      const choose = () => chooseTokenAuthMethod(server({ tokenAuthMethods: subset.toReversed() }), having);
      if (best === undefined) {
        expect(refusalOf(choose)).toMatchObject({ code: 'feature_unsupported' });
      } else {
        expect(choose()).toBe(best);
      }
    }
  });
});

describe('a client metadata document', () => {
  it.each([
    [metadataUrl, true],
    ['http://platform.test/client.json', false],
    ['https://platform.test/', false],
    ['https://platform.test', false],
    ['https://platform.test/a/../client.json', false],
    ['https://platform.test/client.json#x', false],
    ['https://user@platform.test/client.json', false],
    ['https://PLATFORM.test/client.json', false],
    ['https://localhost/client.json', false],
    ['https://platform/client.json', false],
    ['https://platform.local/client.json', false],
    ['https://platform.internal/client.json', false],
    ['https://127.0.0.1/client.json', false],
    ['https://192.168.1.2/client.json', false],
    ['https://[::1]/client.json', false],
    ['https://93.184.216.34/client.json', true],
    ['', false],
  ])('at %s is public: %s', (url, isPublic) => {
    expect(isPublicDocument(url)).toBe(isPublic);
  });
});

it('a client metadata document names its own address, one redirect URI and no secret', () => {
  const url = 'https://platform.test/oauth/clients/1.json';
  const redirectUri = 'https://platform.test/oauth/callback/1';
  expect(buildClientMetadataDocument({ url, redirectUri, clientName: 'Platform' })).toEqual({
    client_id: url,
    client_name: 'Platform',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  });
});
