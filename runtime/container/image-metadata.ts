/** Pure: metadata of an image that an engine would apply to every container of it. */
import { WorkloadFailedError } from '../workload.ts';
import type { ContainerPlan } from './container-plan.ts';

/**
 * Descriptive annotations of image builders. Programs below the engine interpret other
 * annotations as instructions.
 */
const descriptions = ['org.opencontainers.image.', 'org.label-schema.', 'com.docker.', 'io.buildah.'];

/**
 * Podman hands an image's annotations to what runs its containers: with them crun changes its system
 * call filter (`run.oci.seccomp_bpf_data`) and systemd its limits (`org.systemd.property.MemoryMax`).
 * Throws WorkloadFailedError.
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
 * The container without its image's labels: other tools that watch the engine act on them (a proxy that
 * publishes containers, a compose project that removes its own). An engine cannot omit inherited labels,
 * so each is set to empty.
 */
export function blankLabels(plan: ContainerPlan, labels: readonly string[]): ContainerPlan {
  const blank = Object.fromEntries(labels.map((key) => [key, '']));
  return { ...plan, body: { ...plan.body, Labels: { ...blank, ...plan.body.Labels } } };
}
