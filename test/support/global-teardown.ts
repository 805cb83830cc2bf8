/** Runs once after all tests. */
import { releaseServices } from './services.ts';

export default async function tearDown(): Promise<void> {
  await releaseServices();
}
