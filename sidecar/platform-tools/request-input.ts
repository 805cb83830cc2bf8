import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { adds } from '../../contract/platform-tools.ts';
import { nobodyToAsk } from '../../contract/sentences.ts';
import type { SessionEventPayload } from '../../contract/session-event.ts';
import { whileUnanswered } from './next-steps.ts';
import { defineTool, type ToolDependencies, ToolFailure } from './tool.ts';
import { reserveWait } from './wait-for-human.ts';

export const requestInput = defineTool({
  name: 'request_input',
  title: 'Ask the user',
  annotations: adds,
  description:
    'Asks the user a question, and gives no permission: for that there is request_permission. Waits up to `wait_seconds` (0 unless said, at most 300) for the answer. Without an `answer` in the result do not ask again: it arrives as a message. Fails with no_operator in a session that nobody drives, such as one that another session started.',
  input: z.strictObject({
    prompt: z.string().min(1).max(10_000),
    options: z.array(z.string().max(500)).max(50).optional(),
    wait_seconds: z.int().min(0).max(300).optional(),
  }),
  output: z.strictObject({
    input_request_id: z.string(),
    answer: z.string().optional(),
    next_step: z.string().optional(),
  }),
  async run({ prompt, options = [], wait_seconds = 0 }, dependencies, signal) {
    if (!dependencies.hasOperator) {
      throw new ToolFailure('no_operator', nobodyToAsk);
    }
    const id = randomUUID();
    const wait = await reserveWait(dependencies, wait_seconds);
    try {
      await publishQuestion(dependencies, { input_request_id: id, prompt, options });
      const answer = await wait.messageThat((message) => message.input_request_id === id, signal);
      return { input_request_id: id, ...(answer ? { answer: answer.text } : { next_step: whileUnanswered }) };
    } finally {
      wait.end();
    }
  },
});

const publishQuestion = (
  { api }: Pick<ToolDependencies, 'api'>,
  payload: SessionEventPayload<'agent.input_requested'>,
) => api.publishEvent({ id: randomUUID(), type: 'agent.input_requested', payload });
