/** The document by which authorization servers know the platform without a registration (draft-ietf-oauth-client-id-metadata-document). Pure. */
import { applicationType, type GrantType } from './registration-request.ts';

export interface ClientMetadataOptions {
  /** Where the document is served, which is the client's id: `isPublicDocument` says which addresses can be one. */
  url: string;
  /** Of this document alone, so that an answer cannot be taken for another server's. */
  redirectUri: string;
  /** What people read on the page where they consent. */
  clientName: string;
}

export interface ClientMetadataDocument {
  client_id: string;
  client_name: string;
  redirect_uris: readonly [string];
  grant_types: readonly GrantType[];
  response_types: readonly ['code'];
  token_endpoint_auth_method: 'none';
  application_type: 'web' | 'native';
}

/**
 * What is served at `url`, as JSON. It is public, and holds no secret: a secret that all servers shared would be known to each of them
 * (4.1 of the draft). Servers compare `client_id` with the address as texts.
 */
export const buildClientMetadataDocument = ({
  url,
  redirectUri,
  clientName,
}: ClientMetadataOptions): ClientMetadataDocument => ({
  client_id: url,
  client_name: clientName,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: applicationType(redirectUri),
});
