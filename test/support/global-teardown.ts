/** Runs once after all tests. */
import { releaseTestCluster } from './kubernetes/test-cluster.ts';
import { releaseServices } from './services.ts';

export default async function tearDown(): Promise<void> {
  await releaseTestCluster();
  await releaseServices();
}
