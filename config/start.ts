/** Environment of `npm start`, the embedded default. */
import { z } from 'zod';
import { databaseUrl, port } from './parse.ts';

export const startConfig = z.object({
  PORT: port.default(8080),
  TEMPORAL_UI_PORT: port.default(8233),
  DATA_DIR: z.string().default('.data'),
  /** Replaces the embedded Postgres. */
  DATABASE_URL: databaseUrl.optional(),
  /** Replaces the embedded Temporal development server. */
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
});
export type StartConfig = z.infer<typeof startConfig>;
