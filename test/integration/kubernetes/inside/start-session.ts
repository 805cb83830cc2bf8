/** A worker that only starts one session on a cluster, given on standard input. */
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { openCluster } from '../../../../runtime/kubernetes/cluster.ts';
import { createKubernetesRuntime } from '../../../../runtime/kubernetes/driver.ts';
import { dieLater } from '../../runtime/inside/die-later.ts';

const { dieAfterMs, kubeconfig, settings, containers, workload, secrets } = JSON.parse(
  await text(process.stdin),
);
const runtime = createKubernetesRuntime({
  cluster: await openCluster({ kubeconfig, namespace: settings.namespace }),
  settings,
  containers,
  startTimeoutMs: 60_000,
  logger: pino({ level: 'silent' }),
});
dieLater(dieAfterMs);
await runtime.start(workload, secrets);
runtime.close();
