/** As `tables.ts`: the tables of repositories. */

declare module 'knex/types/tables.js' {
  interface Tables {
    patch_requests: {
      id: string;
      session_id: string;
      requested_by: string | null;
      requested_at: string;
      told_at: string;
      answered_at: string | null;
    };
    repositories: {
      id: string;
      workspace_id: string;
      name: string;
      host: string;
      path: string;
      credential: string | null;
      created_at: string;
      updated_at: string;
      updated_by: string | null;
    };
  }
}

export {};
