import { afterAll, beforeAll } from '@jest/globals';
import { clusterTimeoutMs } from '../../support/kubernetes/test-cluster.ts';
import { describeOnKubernetes, kubernetesDriver } from '../kubernetes/kubernetes-driver.ts';
import { describeRuntime } from './contract.ts';

describeOnKubernetes('on a cluster', () => {
  const driver = kubernetesDriver();
  beforeAll(() => driver.begin(), clusterTimeoutMs);
  afterAll(() => driver.end());
  describeRuntime('the Kubernetes runtime', driver);
});
