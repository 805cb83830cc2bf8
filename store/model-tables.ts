/** As `tables.ts`: the tables of model access. */

declare module 'knex/types/tables.js' {
  interface Tables {
    model_usage: {
      session_id: string;
      requests: number;
      failed_requests: number;
      input_tokens: number;
      cache_creation_input_tokens: number;
      cache_read_input_tokens: number;
      output_tokens: number;
      reserved_tokens: number;
      requests_reached_at: string | null;
      tokens_reached_at: string | null;
    };
    model_usage_days: {
      session_id: string;
      day: string;
      endpoint: string;
      requests: number;
      failed_requests: number;
      input_tokens: number;
      cache_creation_input_tokens: number;
      cache_read_input_tokens: number;
      output_tokens: number;
    };
    model_requests: {
      session_id: string;
      id: string;
      max_tokens: number;
      allowed_at: string;
      reported_at: string | null;
    };
  }
}

export {};
