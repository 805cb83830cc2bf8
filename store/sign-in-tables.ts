/** As `tables.ts`: the tables of sign-ins and of what renews them. */
declare module 'knex/types/tables.js' {
  interface Tables {
    sign_in_renewals: {
      sign_in_id: string;
      issuer: string;
      client_id: string;
      subject: string;
      refusal_counts: boolean;
      sealed_value: Buffer | null;
      sealed_data_key: Buffer | null;
      key_id: string | null;
      renew_at: string;
      refused_at: string | null;
    };
    sign_ins: {
      id: string;
      user_id: string;
      created_at: string;
      proven_at: string | null;
      expires_at: string;
      revoked_at: string | null;
    };
  }
}

export {};
