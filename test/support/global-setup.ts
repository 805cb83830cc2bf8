/** Runs once before all tests. */
import { acquireServices } from './services.ts';
import { stopSharedPlatforms } from './shared-platform.ts';
import { workflowBundle } from './worker.ts';

export default async function setUp(): Promise<void> {
  process.env['TEST_RUN_PID'] = String(process.pid);
  await acquireServices();
  await stopSharedPlatforms();
  // Test files that start concurrently would each build it.
  await workflowBundle();
}
