/**
 * Sessions on the cluster for tests: a driver, the reports of its sidecars, and configurations
 * that are stopped at the end.
 */
import { afterAll, beforeAll } from '@jest/globals';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import type { KubernetesRuntime } from '../../../runtime/kubernetes/driver.ts';
import type { LaunchSecrets } from '../../../runtime/workload.ts';
import type { configuration } from '../../support/frozen-configuration.ts';
import {
  clusterTimeoutMs,
  startTestCluster,
  type TestCluster,
} from '../../support/kubernetes/test-cluster.ts';
import { configurationThatStays, secretsWith } from '../runtime/driver-under-test.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { type KubernetesDriver, kubernetesDriver, type OpenChanges } from './kubernetes-driver.ts';

export interface Sessions {
  driver: KubernetesDriver;
  reports(): Reports;
  runtime(): KubernetesRuntime;
  /** A worker that was started later. */
  open(changes?: Partial<OpenChanges>): Promise<KubernetesRuntime>;
  prepare(changes?: Parameters<typeof configuration>[0]): FrozenConfiguration;
  start(frozen: FrozenConfiguration, secrets?: Partial<LaunchSecrets>): Promise<string>;
}

/** For the body of a `describe`. */
export function sessionsOnCluster(start: () => Promise<TestCluster> = startTestCluster): Sessions {
  const driver = kubernetesDriver(start);
  const begun: { reports?: Reports; runtime?: KubernetesRuntime } = {};
  const reports = () => required(begun.reports);
  const runtime = () => required(begun.runtime);
  beforeAll(async () => {
    await driver.begin();
    begun.reports = await takeReports(await driver.hostAddress());
    begun.runtime = await driver.openWith(begun.reports.url, {});
  }, clusterTimeoutMs);
  afterAll(async () => {
    await begun.reports?.close();
    await driver.end();
  });
  return {
    driver,
    reports,
    runtime,
    open: (changes = {}) => driver.openWith(reports().url, changes),
    prepare(changes = {}) {
      return configurationThatStays(changes);
    },
    async start(frozen, secrets) {
      await runtime().start(runtime().render(frozen), secretsWith(frozen.session_id, secrets));
      return frozen.session_id;
    },
  };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) {
    throw new Error('the cluster of the test has not begun');
  }
  return value;
}
