/** Pure: what an image says of itself that an engine would take over for every container of it. */
import { WorkloadFailedError } from '../workload.ts';
import type { ContainerPlan } from './container-plan.ts';

/** Descriptions by those who build images. Programs below the engine take other annotations for orders. */
const descriptions = ['org.opencontainers.image.', 'org.label-schema.', 'com.docker.', 'io.buildah.'];

/**
 * Podman hands an image's annotations to what runs its containers: with them crun changes its system call filter
 * (`run.oci.seccomp_bpf_data`) and systemd its limits (`org.systemd.property.MemoryMax`). Throws WorkloadFailedError.
 */
export function refuseOrders(reference: string, annotations: readonly string[]): void {
  const order = annotations.find((key) => !descriptions.some((prefix) => key.startsWith(prefix)));
  if (order !== undefined) {
    throw new WorkloadFailedError(
      `the image ${reference} has the annotation ${JSON.stringify(order)}, which the engine could take for an order`,
    );
  }
}

/**
 * The container without its image's labels: they mean something to what else watches the engine (a proxy that publishes what asks
 * for it, a project that removes its own). An engine keeps no label out, so each is there with nothing in it.
 */
export function blankLabels(plan: ContainerPlan, labels: readonly string[]): ContainerPlan {
  const blank = Object.fromEntries(labels.map((key) => [key, '']));
  return { ...plan, body: { ...plan.body, Labels: { ...blank, ...plan.body.Labels } } };
}
