/** As `tables.ts`: the tables of remote servers and of people's connections to them. */
import type { AuthorizationStatus } from '../contract/authorization.ts';
import type { OAuthClientKind, RegistrationStatus } from '../contract/mcp-registration.ts';
import type { SignIn } from '../contract/remote-server.ts';
import type { ConnectionEndReason } from './oauth-connections/read.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    mcp_registrations: {
      id: string;
      workspace_id: string;
      mcp_server_id: string | null;
      entry_name: string;
      shape: unknown;
      redirect_uri: string;
      client_metadata_url: string | null;
      revision: number;
      status: RegistrationStatus;
      reason: string | null;
      sign_in: SignIn | null;
      sign_in_server: unknown;
      found_server: unknown;
      resumes: boolean;
      unreached_reason: string | null;
      created_at: string;
      updated_at: string;
    };
    oauth_clients: {
      id: string;
      workspace_id: string;
      registration_id: string;
      issuer: string;
      authorization_server: unknown;
      kind: OAuthClientKind;
      client_id: string;
      token_auth_method: 'client_secret_basic' | 'client_secret_post' | 'none';
      redirect_uri: string;
      secret_expires_at: string | null;
      refreshes_tokens: boolean;
      management_url: string | null;
      created_at: string;
      retired_at: string | null;
    };
    oauth_connections: {
      id: string;
      workspace_id: string;
      user_id: string;
      registration_id: string;
      url: string;
      resource: string;
      issuer: string;
      oauth_client_id: string;
      requested_scopes: string[];
      granted_scopes: string[] | null;
      generation: number;
      expires_at: string | null;
      refreshing_until: string | null;
      created_at: string;
      refreshed_at: string;
      used_at: string | null;
      ended_at: string | null;
      end_reason: ConnectionEndReason | null;
      revoked_at: string | null;
      refusal: string | null;
      refused_at: string | null;
      unreadable_refreshes: number;
    };
    oauth_authorizations: {
      id: string;
      workspace_id: string;
      user_id: string;
      registration_id: string;
      session_id: string | null;
      scopes: string[];
      missing_scopes: string[] | null;
      step_ups: number;
      status: AuthorizationStatus;
      problem: string | null;
      created_at: string;
      expires_at: string;
      state_hash: Buffer | null;
      sign_in_id: string | null;
      url: string | null;
      resource: string | null;
      issuer: string | null;
      oauth_client_id: string | null;
      state_expires_at: string | null;
    };
    oauth_credentials: {
      id: string;
      workspace_id: string;
      oauth_client_id: string | null;
      oauth_connection_id: string | null;
      oauth_authorization_id: string | null;
      name: string;
      sealed_value: Buffer;
      sealed_data_key: Buffer;
      key_id: string;
    };
  }
}
