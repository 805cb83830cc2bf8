/** A worker that only starts one session as processes, given on standard input. */
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { createProcessRuntime } from '../../../../runtime/process/driver.ts';
import { dieLater } from './die-later.ts';

const { dieAfterMs, options, spec, secrets } = JSON.parse(await text(process.stdin));
const runtime = await createProcessRuntime({
  ...options,
  takeLeftCalls: async () => undefined,
  takePatch: async () => undefined,
  logger: pino({ level: 'silent' }),
});
dieLater(dieAfterMs);
await runtime.start(spec, secrets);
