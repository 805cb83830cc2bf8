/** Environment of a worker whose sessions run on a Kubernetes cluster. */
import * as z from 'zod';
import { productSlug } from '../contract/product-name.ts';
import { isRange } from './address-range.ts';
import { count } from './parse.ts';

/** An allowed network peer of a session: addresses, or Pods of one namespace by their labels. */
export type Peer = { cidr: string } | { namespace: string; labels: Readonly<Record<string, string>> };

const name = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const namePattern = new RegExp(`^${name}$`);
const secretNamePattern = new RegExp(`^${name}(?:\\.${name})*$`);
const keyPattern = new RegExp(
  `^(?:${name}(?:\\.${name})*/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`,
);
const valuePattern = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/** `a=b,c=d`; null for anything else. */
function parseLabels(text: string): Record<string, string> | null {
  const pairs = text.split(',').map((pair) => pair.split('='));
  const valid = pairs.every(
    ([key = '', value, ...more]) =>
      keyPattern.test(key) && value !== undefined && valuePattern.test(value) && more.length === 0,
  );
  return valid ? Object.fromEntries(pairs) : null;
}

function parsePeer(text: string): Peer | null {
  const [, kind, rest = ''] = /^(cidr|pods):(.+)$/.exec(text) ?? [];
  if (kind === 'cidr') {
    return isRange(rest) ? { cidr: rest } : null;
  }
  const slash = rest.indexOf('/');
  const namespace = rest.slice(0, slash);
  const labels = parseLabels(rest.slice(slash + 1));
  return kind === 'pods' && namePattern.test(namespace) && labels !== null ? { namespace, labels } : null;
}

const peer = (defaultValue: string) =>
  z
    .string()
    .default(defaultValue)
    .transform((text, context) => {
      const parsed = parsePeer(text);
      if (parsed === null) {
        context.addIssue({
          code: 'custom',
          message: 'must be cidr:<range> or pods:<namespace>/<label>=<value>, such as pods:platform/app=api',
        });
        return z.NEVER;
      }
      return parsed;
    });

const platformPods = (component: string) =>
  `pods:${productSlug}/app.kubernetes.io/name=${productSlug},app.kubernetes.io/component=${component}`;

const nodeSelector = z
  .string()
  .default('')
  .transform((text, context) => {
    const labels = text === '' ? {} : parseLabels(text);
    if (labels === null) {
      context.addIssue({ code: 'custom', message: 'must be labels such as pool=sessions,disk=ssd' });
      return z.NEVER;
    }
    return labels;
  });

const tolerationRule =
  'must be a JSON list of tolerations such as [{"key":"pool","operator":"Equal","value":"sessions","effect":"NoSchedule"}]';
/** As the API server takes it: a Pod that it refuses would fail each session. */
const toleration = z
  .strictObject({
    key: z.union([z.literal(''), z.string().regex(keyPattern)]).optional(),
    operator: z.enum(['Exists', 'Equal']).optional(),
    value: z.string().regex(valuePattern).optional(),
    effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
    tolerationSeconds: z.int().nonnegative().optional(),
  })
  .refine(({ key = '', operator }) => key !== '' || operator === 'Exists')
  .refine(({ operator, value = '' }) => operator !== 'Exists' || value === '')
  .refine(({ effect, tolerationSeconds }) => tolerationSeconds === undefined || effect === 'NoExecute');
export type Toleration = z.infer<typeof toleration>;
const tolerationList = z.array(toleration).max(50);

const tolerations = z
  .string()
  .default('[]')
  .transform((text, context): Toleration[] => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    const list = tolerationList.safeParse(parsed);
    if (!list.success) {
      context.addIssue({ code: 'custom', message: tolerationRule });
      return z.NEVER;
    }
    return list.data;
  });

/** Comma-separated ranges of addresses. */
const ranges = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((range) => range.trim() !== ''))
  .transform((list) => list.map((range) => range.trim()))
  .refine((list) => list.every(isRange), 'must be ranges such as 10.20.0.0/16,10.30.1.5/32');

/** Comma-separated names of Secrets. */
const secretNames = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((each) => each.trim()))
  .transform((list) => [...new Set(list.filter((each) => each !== ''))])
  .refine(
    (list) => list.every((each) => each.length <= 253 && secretNamePattern.test(each)),
    'must be names of Secrets such as registry,registry-mirror',
  );

const percent = (defaultValue: number) => z.coerce.number().int().min(1).max(100).default(defaultValue);
const dnsName = z.string().max(63).regex(namePattern, 'must be lowercase letters, digits or inner hyphens');

export const kubernetesFields = {
  KUBECONFIG: z
    .string()
    .optional()
    .describe("the cluster's address and credentials; without it the Pod's own service account"),
  KUBERNETES_NAMESPACE: dnsName
    .default(`${productSlug}-sessions`)
    .describe('where sessions run; it enforces the standard `restricted` and holds nothing else'),
  KUBERNETES_INSTALLATION: dnsName.default('default').describe('tells platforms in one namespace apart'),
  SECRET_DELIVERY: z
    .enum(['reference', 'inline'])
    .default('reference')
    .describe(
      'reference: as Secrets of the session; inline: as values in the Pod, which readers of Pods see',
    ),
  KUBERNETES_IMAGE_PULL_SECRETS: secretNames.describe(
    "Secrets of that namespace to pull the platform's own images with",
  ),
  KUBERNETES_RUNTIME_CLASS: dnsName.optional().describe("runtime class of sessions' Pods"),
  KUBERNETES_NODE_SELECTOR: nodeSelector.describe('labels of the nodes that take sessions'),
  KUBERNETES_TOLERATIONS: tolerations.describe("JSON list of the taints that sessions' Pods tolerate"),
  KUBERNETES_API_PEER: peer(platformPods('api')).describe('who the API is in network policies'),
  KUBERNETES_WORKER_PEER: peer(platformPods('worker')).describe('who the worker is in network policies'),
  KUBERNETES_DNS_PEER: peer('pods:kube-system/k8s-app=kube-dns').describe(
    'who the name servers are in network policies',
  ),
  KUBERNETES_EGRESS_RANGES: ranges.describe(
    'private ranges that admins of workspaces may open with `egress_allow`',
  ),
  KUBERNETES_DENIED_RANGES: ranges.describe(
    "public ranges that no session may reach, such as a cluster's own",
  ),
  KUBERNETES_CPU_REQUEST_PERCENT: percent(10).describe('of the processor limits, what is requested'),
  KUBERNETES_MEMORY_REQUEST_PERCENT: percent(50).describe('of the memory limits, what is requested'),
  KUBERNETES_SESSION_VOLUME_BYTES: count(256 * 1024 * 1024).describe(
    'the volume that the containers of a session share',
  ),
} as const;

const kubernetesConfig = z.object(kubernetesFields);
export type KubernetesConfig = z.infer<typeof kubernetesConfig>;
