import * as z from 'zod';
import { expectQuietFor as expectQuiet } from '../../commands/sessions/expect-quiet.ts';
import { timestamp } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import { isStorable, storable } from '../../contract/stored-data.ts';
import { defineTool, ToolFailure } from './tool.ts';

export const expectQuietFor = defineTool({
  name: 'expect_quiet_for',
  title: 'Announce that nothing will happen for a while',
  annotations: adds,
  description:
    'A session in which nothing happens for long is ended. Call this before work that takes long without a call or a message, such as a build: the session is not ended for that until then. The limit of its total time stays. While a session waits for a person, or for a session that it started, it is not ended for being quiet anyway.',
  input: z.strictObject({
    seconds: z
      .int()
      .min(1)
      .max(24 * 3600),
    reason: z.string().max(1000).refine(isStorable, storable).optional(),
  }),
  output: z.strictObject({ until: timestamp }),
  example: {
    input: { seconds: 1800, reason: 'Compiling the release' },
    output: { until: '2026-03-01T12:30:00.000Z' },
  },
  async run({ seconds, reason = null }, caller, { db, config }) {
    const until = await expectQuiet(
      db,
      caller,
      { callId: caller.call_id, seconds, reason },
      { publishedBytes: config.LIMIT_SESSION_EVENT_BYTES },
    );
    if (until === null) {
      throw new ToolFailure('not_allowed', 'The session has ended');
    }
    return { until };
  },
});
