import { afterAll, beforeAll } from '@jest/globals';
import { clusterTimeoutMs } from '../../support/kubernetes/test-cluster.ts';
import { describeRuntime } from '../runtime/contract.ts';
import { describeOnKubernetes, kubernetesDriver } from './kubernetes-driver.ts';

describeOnKubernetes('on a cluster', () => {
  const driver = kubernetesDriver();
  beforeAll(() => driver.begin(), clusterTimeoutMs);
  afterAll(() => driver.end());
  describeRuntime('the Kubernetes runtime', driver);
});
