import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { adds } from '../../contract/platform-tools.ts';
import { artifactAnswer } from '../../contract/sidecar.ts';
import { defineTool, ToolFailure } from './tool.ts';

export const emitArtifact = defineTool({
  name: 'emit_artifact',
  title: 'Hand over a file',
  annotations: adds,
  description:
    'Stores a file for the user, given as `text` or as `base64`. Larger files go through POST /artifact of the sidecar socket.',
  input: z.strictObject({
    name: z.string().min(1).max(255),
    mime_type: z.string().min(1).max(255),
    text: z.string().optional(),
    base64: z.base64().optional(),
    description: z.string().max(2000).optional(),
  }),
  output: artifactAnswer,
  async run({ name, mime_type, text, base64, description = null }, { api, inlineArtifactBytes }) {
    if ((text === undefined) === (base64 === undefined)) {
      throw new ToolFailure('validation_failed', 'exactly one of text and base64 is required');
    }
    const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
    if (bytes.length > inlineArtifactBytes) {
      throw new ToolFailure(
        'too_large',
        `an artifact of a tool call has at most ${inlineArtifactBytes} bytes; use POST /artifact for this one`,
      );
    }
    return api.storeArtifact({ artifact_id: randomUUID(), name, mime_type, description }, bytes);
  },
});
