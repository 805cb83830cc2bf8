/**
 * Every table and view, column by column, as the driver returns them (`test/integration/store/tables`); knex
 * types its queries by this. Where a check constraint allows a few values, the type is of those. Timestamps
 * are ISO 8601 text, `bigint` is a number, JSON is unknown until parsed.
 */
import type { Agent } from '../contract/agent.ts';
import type { InputMessage } from '../contract/agent-contract.ts';
import type { McpServer } from '../contract/catalog.ts';
import type { McpCheckStatus } from '../contract/mcp-check.ts';
import type { SessionStatus } from '../contract/session.ts';
import type { Actor } from '../contract/session-event.ts';
import type { ProcessKind, ProcessState } from '../contract/session-process.ts';
import type { PinnedToolList, ToolDefinition } from '../contract/tool-definitions.ts';
import type { WorkspaceRole } from '../contract/workspace.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    admin_only_scopes: {
      workspace_id: string;
      scope: string;
      session_id: string | null;
      server: string;
      tool: string;
    };
    agent_mcp_attachments: {
      workspace_id: string;
      agent_id: string;
      mcp_server_id: string;
      env: unknown;
      created_at: string;
      updated_at: string;
    };
    agents: {
      id: string;
      workspace_id: string;
      owner_id: string | null;
      name: string;
      kind: Agent['kind'];
      run: unknown;
      instructions: string;
      model: string | null;
      env: unknown;
      siblings: unknown;
      services: unknown;
      network: Agent['network'];
      egress_allow: unknown;
      limits: unknown;
      created_at: string;
      updated_at: string;
      model_access: unknown;
      archived_at: string | null;
      name_caseless: string;
      name_seen: string;
      repository: unknown;
    };
    artifact_chunks: {
      content_id: string;
      position: number;
      bytes: Buffer;
    };
    artifact_contents: {
      id: string;
      session_id: string;
      size_bytes: number;
      touched_at: string;
      completed_at: string | null;
    };
    artifacts: {
      id: string;
      session_id: string;
      name: string;
      mime_type: string;
      description: string | null;
      size_bytes: number;
      sha256: string;
      created_at: string;
      content_id: string;
    };
    audit_events: {
      id: string;
      position: number;
      workspace_id: string;
      event: string;
      at: string;
      actor_type: Actor['type'];
      actor_id: string | null;
      resource_type: string;
      resource_id: string;
      resource_name: string;
      session_id: string | null;
      data: unknown;
      recorded_at: string;
      actor_name: string | null;
    };
    child_sessions: {
      session_id: string;
      grant_id: string;
      label: string | null;
    };
    input_requests: {
      id: string;
      session_id: string;
      prompt: string;
      options: unknown;
      created_at: string;
      answered_at: string | null;
    };
    mcp_check_texts: {
      check_id: string;
      kind: 'output' | 'raw_listing' | 'listing';
      sealed_value: Buffer;
      sealed_data_key: Buffer;
      key_id: string;
      size_bytes: number;
      written_bytes: number;
      updated_at: string;
    };
    mcp_checks: {
      id: string;
      workspace_id: string;
      mcp_server_id: string;
      entry_version: number;
      env: unknown;
      configuration: unknown;
      started_by: string;
      idempotency_key: string | null;
      status: McpCheckStatus;
      reason: string | null;
      cancel_requested_at: string | null;
      created_at: string;
      started_at: string | null;
      ended_at: string | null;
      sidecar_run: string | null;
      revision: number | null;
      process: unknown;
    };
    mcp_server_tools: {
      workspace_id: string;
      mcp_server_id: string;
      tool: string;
      scope: string;
    };
    mcp_servers: {
      id: string;
      workspace_id: string;
      name: string;
      shape: unknown;
      manifest: unknown;
      manifest_source: McpServer['manifest_source'];
      version: number;
      image_digest: string | null;
      network: McpServer['network'];
      egress_allow: unknown;
      approvers: McpServer['approvers'];
      require_passkey: boolean;
      created_at: string;
      created_by: string | null;
      updated_at: string;
      updated_by: string | null;
      client_features: string[];
      changed_tools: McpServer['changed_tools'];
      unlisted_tools: McpServer['unlisted_tools'];
      listed_tools: string[];
      start_seconds: number | null;
      image_command: unknown;
      image_volumes: unknown;
      name_caseless: string;
      name_seen: string;
    };
    members: {
      workspace_id: string;
      user_id: string;
      role: WorkspaceRole;
      added_at: string;
      by_rule: boolean;
    };
    pinned_tool_lists: {
      workspace_id: string;
      mcp_server_id: string;
      version: number;
      source: PinnedToolList['source'];
      pinned_by: string | null;
      pinned_at: string;
    };
    removed_workspaces: {
      id: string;
      slug: string;
      name: string;
      closed_at: string;
      closed_by: string | null;
      removed_by: string;
      started_at: string;
      removed_at: string | null;
      counts: unknown;
      last_exported_at: string | null;
      last_export_sha256: string | null;
    };
    removed_call_ids: {
      call_id: string;
      workspace_id: string;
    };
    session_configurations: {
      session_id: string;
      configuration: unknown;
      frozen_at: string;
    };
    session_events: {
      id: string;
      session_id: string;
      seq: number;
      type: string;
      at: string;
      actor_type: Actor['type'];
      actor_id: string | null;
      payload: unknown;
    };
    session_inputs: {
      id: string;
      session_id: string;
      seq: number;
      kind: InputMessage['kind'];
      text: string;
      decision: unknown;
      input_request_id: string | null;
      at: string;
      delivered_at: string | null;
      sender: unknown;
    };
    session_live_texts: {
      session_id: string;
      message_id: string;
      text: string;
      updated_at: string;
    };
    session_open_calls: {
      session_id: string;
      sidecar_run: string;
      revision: number;
      calls: unknown;
      count: number;
    };
    session_processes: {
      session_id: string;
      kind: ProcessKind;
      name: string;
      sidecar_run: string;
      revision: number;
      earlier_starts: number;
      starts: number;
      state: ProcessState;
      exit_code: number | null;
      signal: string | null;
      cause: string | null;
      handshake_ms: number | null;
      updated_at: string;
      sealed_output: Buffer | null;
      sealed_data_key: Buffer | null;
      key_id: string | null;
      output_size_bytes: number | null;
      output_written_bytes: number | null;
      output_updated_at: string | null;
      earlier_output_size_bytes: number;
      earlier_written_bytes: number;
      faults: unknown;
    };
    session_tool_differences: {
      session_id: string;
      tool_definition_id: string;
    };
    session_tools: {
      session_id: string;
      server: string;
      tool: string;
      scope: string;
      entry_id: string;
      admin_only: boolean;
      position: number;
    };
    sessions: {
      id: string;
      workspace_id: string;
      agent_id: string;
      operator_id: string | null;
      root_operator_id: string | null;
      parent_session_id: string | null;
      shared_with_workspace: boolean;
      status: SessionStatus;
      status_reason: string | null;
      prompt: string;
      outcome: unknown;
      last_event_seq: number;
      last_input_seq: number;
      last_activity_at: string;
      control_url: string | null;
      requested_ending: unknown;
      created_at: string;
      started_at: string | null;
      ended_at: string | null;
      permission_requests_muted: boolean;
      published_event_bytes: number;
      api_url: string | null;
      idempotency_key: string | null;
      recorded_calls: number;
      calls_settled_at: string | null;
      messages_paced_until: string | null;
      quiet_until: string | null;
      schedule_id: string | null;
      schedule_maker_id: string | null;
      request_expiry_seconds: number | null;
      title: string | null;
    };
    shares: {
      id: string;
      session_id: string;
      artifact_id: string | null;
      text: string | null;
      title: string;
      audience: string;
      expires_at: string | null;
      created_at: string;
    };
    tool_definitions: {
      id: string;
      workspace_id: string;
      mcp_server_id: string;
      version: number;
      part: ToolDefinition['part'];
      tool: string;
      digest: string;
      text: string;
      is_cut: boolean;
      seen_at: string;
      session_id: string | null;
      accepted_at: string | null;
      accepted_by: string | null;
    };
    users: {
      id: string;
      issuer: string;
      subject: string;
      email: string;
      name: string;
      created_at: string;
      email_verified: boolean;
    };
    workers: {
      id: string;
      capabilities: unknown;
      started_at: string;
      seen_at: string;
    };
    workspace_secrets: {
      id: string;
      workspace_id: string;
      name: string;
      sealed_value: Buffer | null;
      sealed_data_key: Buffer | null;
      key_id: string | null;
      is_set: boolean;
      version: number;
      allowed_servers: string[] | null;
      created_at: string;
      updated_at: string;
      updated_by: string | null;
    };
    workspaces: {
      id: string;
      slug: string;
      name: string;
      log_tool_payloads: boolean;
      allow_runtime_permission_requests: boolean;
      members_grant_persistent: boolean;
      require_passkey: boolean;
      created_at: string;
      updated_at: string;
      tool_call_retention_days: number | null;
      keep_refused_calls: boolean;
      closed_at: string | null;
      closed_by: string | null;
      reopenable_until: string | null;
      closing_ended_at: string | null;
      last_exported_at: string | null;
      last_export_sha256: string | null;
    };
  }
}
