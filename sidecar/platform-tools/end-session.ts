import * as z from 'zod';
import { replaces } from '../../contract/platform-tools.ts';
import { defineTool } from './tool.ts';

export const endSession = defineTool({
  name: 'end_session',
  title: 'End the session',
  annotations: replaces,
  description:
    'Says that your work is done, or cannot be done. The session ends a moment later, with all that waits for it: call nothing after this.',
  input: z.strictObject({
    outcome: z.enum(['completed', 'failed']),
    summary: z.string().max(10_000).optional(),
  }),
  output: z.strictObject({ status: z.literal('ending') }),
  async run({ outcome, summary = null }, { api }) {
    await api.reportEnd({ outcome, summary });
    return { status: 'ending' as const };
  },
});
