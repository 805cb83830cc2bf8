import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import { maxEventTextLength } from '../../contract/session-event.ts';
import { defineTool, ToolFailure } from './tool.ts';

export const share = defineTool({
  name: 'share',
  title: 'Share a result',
  annotations: adds,
  description: 'Shares an artifact or a text with the members of the workspace.',
  input: z.strictObject({
    artifact_id: uuid.optional(),
    text: z.string().max(maxEventTextLength).optional(),
    title: z.string().min(1).max(200),
    audience: z.literal('workspace'),
    expires_in_seconds: z
      .int()
      .min(1)
      .max(365 * 24 * 3600)
      .optional(),
  }),
  output: z.strictObject({ share_id: z.string(), url: z.string() }),
  async run({ artifact_id = null, text = null, title, audience, expires_in_seconds }, { api }) {
    if ((artifact_id === null) === (text === null)) {
      throw new ToolFailure('validation_failed', 'exactly one of artifact_id and text is required');
    }
    const share_id = randomUUID();
    const expires_at =
      expires_in_seconds === undefined
        ? null
        : new Date(Date.now() + expires_in_seconds * 1000).toISOString();
    await api.publishEvent({
      id: randomUUID(),
      type: 'agent.shared',
      payload: { share_id, title, audience, artifact_id, text, expires_at },
    });
    return { share_id, url: `/api/shares/${share_id}` };
  },
});
