/**
 * For health checks of containers: exits 0 when the address answers with success, else 1. They run every few
 * seconds, and to load `fetch` takes twice as long as all the rest.
 */
import { get } from 'node:http';

get(process.argv[2], { signal: AbortSignal.timeout(4_000) }, ({ statusCode }) =>
  process.exit(statusCode >= 200 && statusCode < 300 ? 0 : 1),
).on('error', () => process.exit(1));
