import { expect, it } from '@jest/globals';
import { buildClientMetadataDocument } from '../../../../lib/oauth/client-metadata-document.ts';

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
