/** Runs once before all tests. */
import { acquireServices } from './services.ts';

export default async function setUp(): Promise<void> {
  process.env['TEST_RUN_PID'] = String(process.pid);
  await acquireServices();
}
