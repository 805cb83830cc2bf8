/** Why a remote server cannot be used, or no client of it be made. The message is for the admin who entered its URL. */
export type OAuthDiscoveryErrorCode =
  | 'unreachable'
  | 'address_refused'
  | 'answer_refused'
  | 'url_refused'
  | 'not_an_mcp_server'
  | 'static_key'
  | 'challenge_invalid'
  | 'resource_metadata_missing'
  | 'resource_metadata_invalid'
  | 'resource_refused'
  | 'authorization_server_refused'
  | 'authorization_server_missing'
  | 'authorization_server_invalid'
  | 'issuer_mismatch'
  | 'pkce_unsupported'
  | 'endpoint_refused'
  | 'feature_unsupported'
  | 'client_missing'
  | 'registration_refused'
  | 'registration_invalid'
  | 'deletion_refused';

/**
 * Its message is one sentence, or two where there is a way on; it holds no credential, and text of a server only as `quote` makes it.
 * `isTemporary` says that the same request may succeed later without anybody changing anything.
 */
export class OAuthDiscoveryError extends Error {
  override name = 'OAuthDiscoveryError';
  readonly code: OAuthDiscoveryErrorCode;
  readonly isTemporary: boolean;

  constructor(code: OAuthDiscoveryErrorCode, message: string, isTemporary = false) {
    super(message);
    this.code = code;
    this.isTemporary = isTemporary;
  }
}
