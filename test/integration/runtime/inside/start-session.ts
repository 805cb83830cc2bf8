/** A worker that starts one session as processes, which it is given on standard input, and nothing else. */
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { createProcessRuntime } from '../../../../runtime/process/driver.ts';
import { dieLater } from './die-later.ts';

const { dieAfterMs, options, spec, secrets } = JSON.parse(await text(process.stdin));
const runtime = await createProcessRuntime({
  ...options,
  takeLeftCalls: async () => undefined,
  logger: pino({ level: 'silent' }),
});
dieLater(dieAfterMs);
await runtime.start(spec, secrets);
