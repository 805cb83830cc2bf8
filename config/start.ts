/** Environment of `npm start`, the embedded default. */
import * as z from 'zod';
import { databaseUrl, flag, port } from './parse.ts';

export const startConfig = z.object({
  PORT: port.default(8080),
  TEMPORAL_UI_PORT: port.default(8233),
  DATA_DIR: z.string().default('.data'),
  /** Replaces the embedded Postgres. */
  DATABASE_URL: databaseUrl.optional(),
  /** Replaces the embedded Temporal development server. */
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  /** Whether the start ends with a session of the demo agent that waits for an approval. */
  DEMO_SESSION: flag.default(true),
  /** Whether the demo has a remote MCP server that people sign in to. */
  DEMO_REMOTE_SERVER: flag.default(true),
  /** A key of a model; with it the demo has an agent that asks the model. */
  DEMO_MODEL_KEY: z.string().optional(),
});
export type StartConfig = z.infer<typeof startConfig>;
