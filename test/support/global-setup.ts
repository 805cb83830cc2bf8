/** Runs once before all tests. */
import { acquireServices } from './services.ts';

export default async function setUp(): Promise<void> {
  await acquireServices();
}
