/** Environment of `npm start`, the embedded default. */
import * as z from 'zod';
import { databaseUrl, flag, port } from './parse.ts';
import { temporalFields } from './temporal.ts';

export const startConfig = z.object({
  PORT: port.default(8080),
  TEMPORAL_UI_PORT: port.default(8233).describe('port of the Temporal UI'),
  DATA_DIR: z.string().default('.data').describe('where everything is kept'),
  /** Replaces the embedded Postgres. */
  DATABASE_URL: databaseUrl.optional(),
  /** Replaces the embedded Temporal development server. */
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: temporalFields.TEMPORAL_NAMESPACE,
  DEMO_SESSION: flag.default(true).describe('starts a session of the demo agent that waits for an approval'),
  DEMO_REMOTE_SERVER: flag.default(true).describe('starts a remote MCP server that people sign in to'),
  DEMO_MODEL_KEY: z.string().optional().describe('key of a model, for an agent of the demo that asks it'),
});
export type StartConfig = z.infer<typeof startConfig>;
