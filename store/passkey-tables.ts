/** As `tables.ts`: the tables of people's passkeys. */

declare module 'knex/types/tables.js' {
  interface Tables {
    passkeys: {
      id: string;
      user_id: string;
      name: string;
      credential_id: string;
      public_key: Buffer;
      sign_count: number;
      transports: string[];
      origin: string;
      created_at: string;
      last_used_at: string | null;
    };
    passkey_challenges: {
      id: string;
      user_id: string;
      purpose: 'register' | 'approve';
      created_at: string;
      expires_at: string;
    };
    removed_asking_entries: {
      entry_id: string;
      workspace_id: string;
    };
  }
}
