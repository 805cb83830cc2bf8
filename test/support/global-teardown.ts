/** Runs once after all tests. */
import { releaseTestCluster } from './kubernetes/test-cluster.ts';
import { releaseServices } from './services.ts';
import { stopSharedPlatforms } from './shared-platform.ts';

export default async function tearDown(): Promise<void> {
  await stopSharedPlatforms();
  await releaseTestCluster();
  await releaseServices();
}
