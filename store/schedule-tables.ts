/** As `tables.ts`: the tables of schedules. */
import type { OverlapPolicy, PauseReason, RunOutcome } from '../contract/schedule.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    schedules: {
      id: string;
      workspace_id: string;
      agent_id: string | null;
      maker_id: string | null;
      name: string;
      spec: unknown;
      time_zone: string;
      prompt: string;
      overlap: OverlapPolicy;
      catch_up_window_seconds: number;
      request_expiry_seconds: number;
      paused_at: string | null;
      pause_reason: PauseReason | null;
      pause_note: string | null;
      version: number;
      created_at: string;
      updated_at: string;
      name_caseless: string;
      name_seen: string;
    };
    schedule_runs: {
      id: string;
      workspace_id: string;
      schedule_id: string;
      scheduled_at: string;
      outcome: RunOutcome;
      detail: string | null;
      session_id: string | null;
      created_at: string;
      requested_by: string | null;
    };
  }
}
