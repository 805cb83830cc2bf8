/**
 * Where the launches happen: a cluster, a namespace that admits `restricted` Pods only, and the
 * worker's own account in it.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerSettings } from '../../runtime/container-workload/container-settings.ts';
import { type Cluster, openCluster } from '../../runtime/kubernetes/cluster.ts';
import type { KubernetesSettings } from '../../runtime/kubernetes/settings.ts';
import { openAdmin } from '../../test/integration/kubernetes/admin.ts';
import { type Reports, takeReports } from '../../test/integration/runtime/reports.ts';
import { testContainerSettings } from '../../test/support/container-settings.ts';
import { startOwnTestCluster, startTestCluster } from '../../test/support/kubernetes/test-cluster.ts';
import { importSessionImages, testKubernetesSettings } from '../../test/support/kubernetes/test-settings.ts';
import { requirePlatformImages } from '../../test/support/platform-images.ts';

export interface Place {
  cluster: Cluster;
  settings: KubernetesSettings;
  containers: ContainerSettings;
  /** Receives what sidecars and agents send. */
  reports: Reports;
  /** Removes everything of it, the cluster too when it was started here. */
  close(): Promise<void>;
}

/** `isGiven`: KUBECONFIG names a cluster. Throws when the platform's images were not built. */
export async function openPlace(isGiven: boolean): Promise<Place> {
  requirePlatformImages();
  const onCluster = await (isGiven ? startTestCluster() : startOwnTestCluster());
  const namespace = `bench-${randomBytes(4).toString('hex')}`;
  const admin = openAdmin(onCluster.kubeconfig, namespace);
  const directory = mkdtempSync(join(tmpdir(), 'bench-kubernetes-'));
  const cleanUps = [
    async () => rmSync(directory, { recursive: true, force: true }),
    () => onCluster.stop(),
    () => admin.deleteNamespace(),
  ];
  const cleanUp = async () => {
    for (const step of cleanUps.toReversed()) {
      await step().catch((error: unknown) => console.error(error));
    }
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= cleanUp();
    return closing;
  };
  try {
    await admin.createNamespace();
    const kubeconfig = join(directory, 'worker.kubeconfig');
    writeFileSync(kubeconfig, await admin.workerKubeconfig(), { mode: 0o600 });
    const cluster = await openCluster({ kubeconfig, namespace });
    cleanUps.push(async () => cluster.close());
    const reports = await takeReports(onCluster.hostAddress);
    cleanUps.push(() => reports.close());
    const images = await importSessionImages(onCluster);
    return {
      cluster,
      settings: testKubernetesSettings({
        namespace,
        installation: 'bench',
        hostAddress: onCluster.hostAddress,
      }),
      containers: testContainerSettings({ apiUrl: reports.url, networks: 'shared', images }),
      reports,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
