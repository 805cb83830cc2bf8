/** As `tables.ts`: the tables of previews. */

declare module 'knex/types/tables.js' {
  interface Tables {
    previews: {
      id: string;
      workspace_id: string;
      session_id: string;
      call_id: string;
      title: string | null;
      audience: 'session' | 'workspace';
      service: string | null;
      files: number;
      size_bytes: number;
      created_at: string;
      expires_at: string;
      ended_at: string | null;
    };
    preview_services: {
      preview_id: string;
      state: 'failed' | 'pending' | 'running' | 'starting' | 'stopped';
      reason: string | null;
      configuration: unknown;
      reported_url: string | null;
      address: string | null;
      created_at: string;
      started_at: string | null;
      stopped_at: string | null;
    };
    preview_files: {
      preview_id: string;
      path: string;
      bytes: Buffer;
    };
    preview_openings: {
      label_sha256: Buffer;
      preview_id: string;
      sign_in_id: string;
      expires_at: string;
    };
  }
}

export {};
