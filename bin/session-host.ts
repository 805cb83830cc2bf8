/**
 * The host of one session on the process runtime, in the session's directory. It starts the sidecar at
 * once, and waits for what it runs: JSON on standard input, because it holds secrets. A worker that needs
 * it no more, or dies, closes that input. SIGTERM stops the session; the worker finds out about everything
 * else from the state file.
 */
import { text } from 'node:stream/consumers';
import { closeInherited } from '../runtime/process/host/close-inherited.ts';
import { prepareSidecar, startSessionHost } from '../runtime/process/host/session-host.ts';
import type { HostLaunch } from '../runtime/process/render-launch.ts';
import { removeWarmDirectory } from '../runtime/process/warm-directory.ts';

/** Null when it is not whole: the worker ended while it was writing. The error's text would quote secrets. */
function parseLaunch(line: string): HostLaunch | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

closeInherited();

// Until everything runs, exiting is enough to end what was started.
let stop = (): void => process.exit(0);
process.on('SIGTERM', () => stop());
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

const sidecar = prepareSidecar();
const input = await text(process.stdin);
if (input === '') {
  removeWarmDirectory(process.cwd());
  process.exit(0);
}
const launch = parseLaunch(input);
if (launch === null) {
  console.error('the launch is not usable: it is no JSON');
  process.exit(2);
}
try {
  const host = await startSessionHost(launch, sidecar);
  stop = () => void host.stop().then(() => process.exit(0));
  await host.ended;
  // Stays until it is stopped, so that how everything ended can be read.
  setInterval(() => undefined, 60_000);
} catch (error) {
  console.error(error instanceof Error ? error.message : 'the session did not start');
  process.exit(1);
}
