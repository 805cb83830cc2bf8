/**
 * The host of one session on the process runtime. What it runs comes as one JSON line on standard input, because it
 * holds secrets. SIGTERM stops the session; the worker finds out about everything else from the state file.
 */
import { text } from 'node:stream/consumers';
import { startSessionHost } from '../runtime/process/host/session-host.ts';
import { hostLaunch } from '../runtime/process/host-protocol.ts';

const launch = hostLaunch.safeParse(JSON.parse(await text(process.stdin)));
if (!launch.success) {
  console.error(
    `the launch is not usable: ${launch.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
  );
  process.exit(2);
}

let stopping = false;
process.on('SIGTERM', () => {
  stopping = true;
});
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

try {
  const host = await startSessionHost(launch.data);
  const stop = () => void host.stop().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  if (stopping) {
    stop();
  }
  await host.ended;
  // Stays until it is stopped, so that how everything ended can be read.
  setInterval(() => undefined, 60_000);
} catch (error) {
  console.error(error instanceof Error ? error.message : 'the session did not start');
  process.exit(1);
}
