/** As `tables.ts`: the tables of channels and of messages to them. */
import type { DeliveryStatus, MessageKind } from '../contract/channel.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    channels: {
      id: string;
      workspace_id: string;
      name: string;
      kind: string;
      address: string;
      announce_permission_requests: boolean;
      created_at: string;
      updated_at: string;
      updated_by: string | null;
    };
    channel_agents: {
      workspace_id: string;
      channel_id: string;
      agent_id: string;
    };
    channel_messages: {
      id: string;
      workspace_id: string;
      channel_id: string | null;
      channel_name: string;
      kind: MessageKind;
      session_id: string | null;
      request_id: string | null;
      link_origin: string | null;
      status: DeliveryStatus;
      failure: string | null;
      attempts: number;
      created_at: string;
      settled_at: string | null;
    };
  }
}
