/** As `tables.ts`: the tables of permission requests, of people's decisions and of grants. */
import type { GrantScope } from '../contract/grant.ts';
import type { RequestStatus } from '../contract/permission-request.ts';
import type { WorkspaceRole } from '../contract/workspace.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    active_grants: Tables['grants'];
    decisions: {
      id: string;
      workspace_id: string;
      request_id: string | null;
      kind: 'approve' | 'deny';
      user_id: string;
      reason: string | null;
      approval: string | null;
      created_at: string;
      mutes_session: boolean;
      idempotency_key: string | null;
      input_sha256: string | null;
      grant_id: string | null;
      carried_out_at: string | null;
      withdrawn_at: string | null;
    };
    grant_uses: {
      call_id: string;
      grant_id: string;
      session_id: string;
      server: string;
      tool: string;
      at: string;
    };
    grants: {
      id: string;
      workspace_id: string;
      user_subject_id: string | null;
      agent_subject_id: string | null;
      grant_type: string;
      details: unknown;
      scope: GrantScope;
      session_id: string | null;
      consumed_at: string | null;
      revoked_at: string | null;
      granted_by_user_id: string;
      granted_at: string;
      reason: string | null;
      request_id: string | null;
      bound_session_id: string | null;
      bound_server: string | null;
      bound_tool: string | null;
      granted_by_role: WorkspaceRole;
      bound_call_digest: string | null;
      consumed_call_digest: string | null;
      expires_at: string | null;
    };
    permission_request_calls: {
      id: string;
      workspace_id: string;
      request_id: string;
      name: string;
      sealed_value: Buffer;
      sealed_data_key: Buffer;
      key_id: string;
    };
    permission_requests: {
      id: string;
      workspace_id: string;
      session_id: string;
      agent_id: string;
      grant_type: string;
      details: unknown;
      scope: GrantScope;
      justification: string;
      refused_server: string | null;
      refused_tool: string | null;
      status: RequestStatus;
      grant_id: string | null;
      decided_by: string | null;
      decided_at: string | null;
      reason: string | null;
      created_at: string;
      expires_at: string;
      call_digest: string | null;
      call_size_bytes: number | null;
    };
  }
}
