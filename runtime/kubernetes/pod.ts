/** A Pod as the cluster describes it: the parts that the driver reads, validated on input. */
import { isIPv4, isIPv6 } from 'node:net';
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { labelKeys } from './names.ts';

const terminated = z.object({
  exitCode: z.number(),
  reason: z.string().optional(),
  /** May be written by the container itself. */
  message: z.string().optional(),
});
const containerStatus = z.object({
  name: z.string(),
  state: z
    .object({
      waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
      running: z.unknown().optional(),
      terminated: terminated.optional(),
    })
    .default({}),
});
export type ContainerStatus = z.infer<typeof containerStatus>;

export const pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    /** When a deletion in progress is due to be complete. */
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({
    schedulingGates: z.array(z.object({ name: z.string() })).default([]),
    activeDeadlineSeconds: z.number().optional(),
    containers: z.array(
      z.object({
        name: z.string(),
        resources: z.object({ limits: z.record(z.string(), z.string()).default({}) }).default({ limits: {} }),
      }),
    ),
  }),
  status: z
    .object({
      phase: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      podIP: z.string().optional(),
      podIPs: z.array(z.object({ ip: z.string() })).default([]),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
          }),
        )
        .default([]),
      containerStatuses: z.array(containerStatus).default([]),
    })
    .prefault({}),
});
export type Pod = z.infer<typeof pod>;

/** Null for a Pod that belongs to no session. */
export function sessionOf({ metadata }: Pod): string | null {
  return uuid.safeParse(metadata.labels[labelKeys.session]).data ?? null;
}

/** The condition that holds, or undefined. */
export const conditionOf = ({ status }: Pod, type: string, is = 'True') =>
  status.conditions.find((condition) => condition.type === type && condition.status === is);

const maxSentence = 500;
/** The cluster's message for an operator: one line, truncated. */
export function inOneLine(text: string | undefined): string {
  const line = (text ?? '').replace(/\s+/g, ' ').trim();
  return line.length > maxSentence ? `${line.slice(0, maxSentence)}…` : line;
}

/**
 * The host of URLs of a Pod, as parsed URLs have it; null while it has no address. IPv4 where there is some,
 * as sidecars choose (`sidecar/control/listen-for-platform.ts`).
 */
export function hostOf({ status }: Pick<Pod, 'status'>): string | null {
  const addresses = [status.podIP ?? '', ...(status.podIPs ?? []).map(({ ip }) => ip)];
  const ipv4 = addresses.find((address) => isIPv4(address));
  const ipv6 = addresses.find((address) => isIPv6(address));
  return ipv4 ?? (ipv6 === undefined ? null : new URL(`http://[${ipv6}]`).hostname);
}
