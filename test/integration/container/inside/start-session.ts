/** A worker that only starts one session, given on standard input. */
import { text } from 'node:stream/consumers';
import { resolveByLookup } from '../../../../lib/outbound/resolve-names.ts';
import { openEngine } from '../../../../runtime/container/engine.ts';
import { startSession } from '../../../../runtime/container/start-session.ts';
import { dieLater } from '../../runtime/inside/die-later.ts';

const { dieAfterMs, socketPath, settings, plan, secrets } = JSON.parse(await text(process.stdin));
dieLater(dieAfterMs);
await startSession(await openEngine(socketPath), plan, secrets, {
  settings,
  takeLeftCalls: async () => undefined,
  sidecarImage: plan.sidecar.image.reference,
  resolveName: resolveByLookup,
  signal: new AbortController().signal,
  startTimeoutMs: 60_000,
  pullTimeoutMs: 60_000,
});
