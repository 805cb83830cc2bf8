import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { adds } from '../../contract/platform-tools.ts';
import { defineTool } from './tool.ts';

export const emitError = defineTool({
  name: 'emit_error',
  title: 'Report a problem',
  annotations: adds,
  description: 'Tells the user that something went wrong. `fatal` says that you cannot continue.',
  input: z.strictObject({
    message: z.string().min(1).max(10_000),
    code: z.string().max(100).optional(),
    fatal: z.boolean().optional(),
  }),
  output: z.strictObject({ event_id: z.string() }),
  async run({ message, code = null, fatal = false }, { api }) {
    const id = randomUUID();
    await api.publishEvent({ id, type: 'agent.error', payload: { message, code, fatal } });
    return { event_id: id };
  },
});
