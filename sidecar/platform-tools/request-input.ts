import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineTool } from './tool.ts';

export const requestInput = defineTool({
  name: 'request_input',
  title: 'Ask the user',
  description:
    'Asks the user a question. Waits up to `wait_seconds` for the answer; the answer also arrives as a message.',
  input: z.strictObject({
    prompt: z.string().min(1).max(10_000),
    options: z.array(z.string().max(500)).max(50).optional(),
    wait_seconds: z.int().min(0).max(300).optional(),
  }),
  output: z.strictObject({ input_request_id: z.string(), answer: z.string().optional() }),
  async run({ prompt, options = [], wait_seconds = 0 }, { api, inbox, maxWaitSeconds }, signal) {
    const id = randomUUID();
    await api.publishEvent({
      id: randomUUID(),
      type: 'agent.input_requested',
      payload: { input_request_id: id, prompt, options },
    });
    const waitMs = Math.min(wait_seconds, maxWaitSeconds) * 1000;
    const answer = await inbox.waitFor((message) => message.input_request_id === id, waitMs, signal);
    return { input_request_id: id, ...(answer ? { answer: answer.text } : {}) };
  },
});
