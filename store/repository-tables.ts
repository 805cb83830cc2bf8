/** As `tables.ts`: the tables of repositories. */

declare module 'knex/types/tables.js' {
  interface Tables {
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
