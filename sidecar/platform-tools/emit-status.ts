import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { adds } from '../../contract/platform-tools.ts';
import { defineTool } from './tool.ts';

export const emitStatus = defineTool({
  name: 'emit_status',
  title: 'Report progress',
  annotations: adds,
  description: 'Tells the user in a few words what you are doing.',
  input: z.strictObject({ status: z.string().min(1).max(500), detail: z.string().max(10_000).optional() }),
  output: z.strictObject({ event_id: z.string() }),
  async run({ status, detail = null }, { api }) {
    const id = randomUUID();
    await api.publishEvent({ id, type: 'agent.status', payload: { status, detail } });
    return { event_id: id };
  },
});
