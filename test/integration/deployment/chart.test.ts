/**
 * The Helm chart as Helm renders it: what it requests, what it refuses, and the rules
 * that its manifests follow.
 */
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { apiConfig } from '../../../config/api.ts';
import { parseEnvironment } from '../../../config/parse.ts';
import { variablesOf } from '../../../config/settings.ts';
import { workerConfig } from '../../../config/worker.ts';
import { workerRules } from '../../../runtime/kubernetes/rbac.ts';
import {
  chartDirectory,
  leastValues,
  type Manifest,
  mergeValues,
  renderChart,
  runHelm,
} from '../../support/chart.ts';
import { describeWithTool } from '../../support/deployment-tools.ts';
import { restrictedViolations } from '../../unit/runtime/kubernetes/restricted.ts';

const container = z.looseObject({
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
      }),
    )
    .default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })).default([]),
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
  image: z.string(),
});
const template = z.looseObject({
  metadata: z.looseObject({
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({
    automountServiceAccountToken: z.boolean(),
    serviceAccountName: z.string().optional(),
    containers: z.tuple([container]),
  }),
});
const workload = z.looseObject({ spec: z.looseObject({ template }) });

/** A value for each Secret that a Pod may name; PEM and keys are parsed for real. */
const secretValues: Record<string, string> = {
  DATABASE_URL: 'postgres://platform:secret@db.example/platform',
  OIDC_CLIENT_SECRET: 'client-secret',
  TEMPORAL_API_KEY: 'api-key',
  TEMPORAL_TLS_CA: '-----BEGIN CERTIFICATE-----',
  TEMPORAL_TLS_CERT: '-----BEGIN CERTIFICATE-----',
  TEMPORAL_TLS_KEY: '-----BEGIN PRIVATE KEY-----',
};
beforeAll(() => {
  const printed = execFileSync(process.execPath, ['scripts/make-keys.mjs'], { encoding: 'utf8' });
  for (const [, name = '', value = ''] of printed.matchAll(/^(\w+)=(.+)$/gm)) {
    secretValues[name] = value;
  }
});

const everything = {
  images: { registry: 'registry.example/agents/', tag: '1.2.3', pullSecrets: ['pull'] },
  temporal: {
    uiUrl: 'https://temporal.example',
    tls: { existingSecret: 'temporal-tls', authority: true, serverName: 'temporal' },
    apiKey: { existingSecret: 'temporal-key' },
  },
  oidc: { clientSecret: { existingSecret: 'oidc' } },
  config: { SESSION_TOTAL_SECONDS: '7200' },
  sessions: {
    pullSecrets: ['registry', 'mirror.internal'],
    runtimeClass: 'gvisor',
    nodeSelector: { pool: 'sessions' },
    egressRanges: ['10.20.0.0/16'],
    config: { AGENT_MEMORY_BYTES: '268435456' },
    resourceQuota: { hard: { pods: '100' } },
    limitRange: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
  },
  networkPolicies: {
    apiIngressFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
  },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls' },
};

describeWithTool('helm')('the Helm chart', () => {
  const find = (manifests: Manifest[], kind: string, name?: string) => {
    const found = manifests.find(
      (each) => each.kind === kind && (name === undefined || each.metadata.name === name),
    );
    if (found === undefined) {
      throw new Error(`no ${kind} ${name ?? ''}`);
    }
    return found;
  };
  const podOf = (manifests: Manifest[], kind: string, name: string) =>
    workload.parse(find(manifests, kind, name)).spec.template;
  const pods = (manifests: Manifest[]) =>
    manifests
      .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
      .map((each) => ({ name: each.metadata.name, ...workload.parse(each).spec.template }));

  /** The environment of the process. */
  function environmentOf(manifests: Manifest[], name: string): Record<string, string> {
    const { env, envFrom } = podOf(manifests, 'Deployment', name).spec.containers[0];
    const maps = envFrom.map(({ configMapRef }) => find(manifests, 'ConfigMap', configMapRef.name)['data']);
    const values = z.array(z.record(z.string(), z.string())).parse(maps);
    const secrets = env.map(({ name: variable, value }) => [variable, value ?? secretValues[variable] ?? '']);
    return Object.assign({}, ...values, Object.fromEntries(secrets));
  }

  it('names what is missing, and refuses unknown values', () => {
    expect(() => runHelm(['lint', chartDirectory], {})).toThrow();
    for (const path of ['publicUrl', 'oidc', 'database', 'temporal', 'keys']) {
      const values = mergeValues(leastValues, {});
      delete values[path];
      expect(() => runHelm(['template', chartDirectory, '--kube-version', '1.34.4'], values)).toThrow(path);
    }
    expect(() => renderChart({ worker: { replica: 3 } })).toThrow('replica');
    expect(() => renderChart({ config: { COOKIE_KEY: 'x' } })).toThrow('COOKIE_KEY');
    expect(() => renderChart({ sessions: { namespace: 'agents' } })).toThrow('must be another one');
    expect(runHelm(['lint', chartDirectory], leastValues)).toContain('0 chart(s) failed');
  });

  describe.each([
    ['the least values', {}],
    ['every value', everything],
  ])('with %s', (_name, values) => {
    const manifests = renderChart(values);

    it('gives API and worker a configuration that they accept, and no variable that they do not read', () => {
      const api = environmentOf(manifests, 'platform-gatepost-api');
      const worker = environmentOf(manifests, 'platform-gatepost-worker');
      expect(parseEnvironment(apiConfig, api)).toMatchObject({ RUNTIME: 'kubernetes', DEMO_SIGN_IN: false });
      expect(parseEnvironment(workerConfig, worker)).toMatchObject({ RUNTIME: 'kubernetes' });
      expect(variablesOf('API')).toEqual(expect.arrayContaining(Object.keys(api)));
      expect(variablesOf('worker', 'kubernetes')).toEqual(expect.arrayContaining(Object.keys(worker)));
    });

    it('renders Pods that the restricted standard admits, with limits and a read-only root', () => {
      expect(pods(manifests).map(({ name }) => name)).toHaveLength(3);
      for (const pod of pods(manifests)) {
        expect({ name: pod.name, found: restrictedViolations(pod) }).toEqual({ name: pod.name, found: [] });
      }
    });

    it('gives only the worker access to the cluster, and nobody the right to read a Secret', () => {
      const tokens = pods(manifests).filter(({ spec }) => spec.automountServiceAccountToken);
      expect(tokens.map(({ name }) => name)).toEqual(['platform-gatepost-worker']);
      expect(manifests.filter(({ kind }) => /Role/.test(kind)).map(({ kind }) => kind)).toEqual([
        'Role',
        'RoleBinding',
      ]);
      const role = find(manifests, 'Role');
      expect(role.metadata.namespace).toBe('gatepost-sessions');
      expect(role['rules']).toEqual([
        {
          apiGroups: [''],
          resources: ['pods'],
          verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete'],
        },
        { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
        { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create'] },
      ]);
      // Sessions run with exactly these in the tests on a cluster.
      expect(role['rules']).toEqual(workerRules);
    });

    it('gives each component its own keys only', () => {
      const secretsOf = (kind: string, name: string) =>
        podOf(manifests, kind, `platform-gatepost-${name}`)
          .spec.containers[0].env.filter(({ valueFrom }) => valueFrom !== undefined)
          .map((each) => each.name);
      expect(secretsOf('Deployment', 'worker')).not.toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(APPROVAL_PRIVATE_KEY|COOKIE_KEY|OIDC_CLIENT_SECRET)$/),
        ]),
      );
      expect(secretsOf('Deployment', 'api')).not.toContain('APPROVAL_PUBLIC_KEY');
      expect(secretsOf('Job', 'migrate')).toEqual(['DATABASE_URL']);
      expect(JSON.stringify(manifests)).not.toContain(secretValues['MASTER_KEYS']);
    });

    it('runs sessions in a namespace of restricted Pods without network access', () => {
      expect(find(manifests, 'Namespace').metadata).toMatchObject({
        name: 'gatepost-sessions',
        labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      });
      expect(find(manifests, 'NetworkPolicy', 'default-deny')).toMatchObject({
        metadata: { namespace: 'gatepost-sessions' },
        spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
      });
    });

    it('uses the Pod labels of API and worker in the policies of sessions', () => {
      const worker = environmentOf(manifests, 'platform-gatepost-worker');
      for (const part of ['api', 'worker'] as const) {
        const [, namespace, labels = ''] =
          /^pods:([^/]+)\/(.+)$/.exec(worker[`KUBERNETES_${part.toUpperCase()}_PEER`] ?? '') ?? [];
        expect(namespace).toBe('agents');
        const wanted = Object.fromEntries(labels.split(',').map((pair) => pair.split('=')));
        const pod = podOf(manifests, 'Deployment', `platform-gatepost-${part}`);
        expect(pod.metadata.labels).toMatchObject(wanted);
      }
      expect(find(manifests, 'Service')['spec']).toMatchObject({ ports: [{ port: 8080 }] });
      expect(worker['INTERNAL_API_URL']).toBe('http://platform-gatepost-api.agents.svc:8080');
    });

    it('migrates before any other change of the release', () => {
      expect(find(manifests, 'Job').metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
      });
    });
  });

  it('restarts Pods when their configuration changes', () => {
    const checksum = (values: object) =>
      podOf(renderChart(values), 'Deployment', 'platform-gatepost-worker').metadata.annotations[
        'checksum/configuration'
      ];
    expect(checksum({})).toBe(checksum({}));
    expect(checksum({})).not.toBe(checksum({ config: { LOG_LEVEL: 'warn' } }));
  });

  it('names images by registry and tag, or by full reference', () => {
    const digest = `registry.example/own@sha256:${'a'.repeat(64)}`;
    const manifests = renderChart({ images: { registry: 'registry.example/', tag: '9', runner: digest } });
    const [{ image }] = podOf(manifests, 'Deployment', 'platform-gatepost-api').spec.containers;
    expect(image).toBe('registry.example/gatepost:9');
    expect(environmentOf(manifests, 'platform-gatepost-worker')).toMatchObject({
      SIDECAR_IMAGE: 'registry.example/gatepost-sidecar:9',
      RUNNER_IMAGE: digest,
    });
  });

  it('pulls its own images with the Secrets of the namespace that they start in', () => {
    const ofPods = (values: object) =>
      pods(renderChart(values)).map(({ spec }) => spec['imagePullSecrets'] ?? null);
    expect(ofPods({})).toEqual([null, null, null]);
    expect(ofPods(everything)).toEqual(Array(3).fill([{ name: 'pull' }]));
    const worker = environmentOf(renderChart(everything), 'platform-gatepost-worker');
    expect(parseEnvironment(workerConfig, worker)).toMatchObject({
      KUBERNETES_IMAGE_PULL_SECRETS: ['registry', 'mirror.internal'],
    });
    expect(() => renderChart({ sessions: { pullSecrets: ['Registry'] } })).toThrow('pullSecrets');
  });

  it('makes the API trust its own Ingress, or the named proxies, and no others', () => {
    const trusted = (values: object) =>
      parseEnvironment(apiConfig, environmentOf(renderChart(values), 'platform-gatepost-api')).TRUST_PROXY;
    expect(trusted({})).toEqual({ hops: 0 });
    expect(trusted({ ingress: { enabled: true } })).toEqual({ hops: 1 });
    expect(trusted({ ingress: { enabled: true }, api: { trustProxy: false } })).toEqual({ hops: 0 });
    expect(trusted({ api: { trustProxy: true } })).toEqual({ hops: 1 });
    expect(trusted({ api: { trustProxy: 2 } })).toEqual({ hops: 2 });
    expect(trusted({ api: { trustProxy: ['10.0.0.0/8', '192.0.2.7'] } })).toEqual({
      ranges: ['10.0.0.0/8', '192.0.2.7/32'],
    });
    for (const wrong of ['yes', 11, [], ['proxy.internal']]) {
      expect(() => renderChart({ api: { trustProxy: wrong } })).toThrow('trustProxy');
    }
  });

  it('routes an Ingress to the API and the UI, never to the routes of sidecars', () => {
    const ingress = JSON.stringify(find(renderChart(everything), 'Ingress'));
    expect([...ingress.matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path)).toEqual([
      '/api',
      '/app',
      '/workspaces',
      '/',
    ]);
    expect(ingress).toContain('"host":"platform.example"');
  });

  it.each([
    ['https://platform.example:443', 'platform.example', 'platform.example'],
    ['HTTPS://Platform.Example.:0443/', 'platform.example', 'platform.example'],
    ['https://platform.example.', 'platform.example', 'platform.example'],
    ['http://platform.example:80', 'platform.example', 'platform.example'],
    ['http://platform.example:443', 'platform.example:443', 'platform.example'],
    ['https://platform.example:8443', 'platform.example:8443', 'platform.example'],
    ['http://[2001:DB8::1]:80', '[2001:db8::1]', '[2001:db8::1]'],
  ])('asks the API at %s for the host that the API takes it for', (publicUrl, host, name) => {
    const manifests = renderChart({ publicUrl, ingress: { enabled: true } });
    const api = environmentOf(manifests, 'platform-gatepost-api');
    expect(new URL(parseEnvironment(apiConfig, api).PUBLIC_URL ?? '').host).toBe(host);
    const { livenessProbe } = podOf(manifests, 'Deployment', 'platform-gatepost-api').spec.containers[0];
    expect(livenessProbe).toMatchObject({ httpGet: { httpHeaders: [{ name: 'Host', value: host }] } });
    expect(find(manifests, 'Ingress')['spec']).toMatchObject({ rules: [{ host: name }] });
  });

  it('leads every name below the domain of previews to the API', () => {
    const values = {
      ...{ previewDomain: 'previews.example', ingress: { enabled: true, previewTlsSecret: 'previews-tls' } },
    };
    const manifests = renderChart(values);
    const ingress = JSON.stringify(find(manifests, 'Ingress'));
    expect(ingress).toContain('"host":"*.previews.example"');
    expect(ingress).toContain('{"hosts":["*.previews.example"],"secretName":"previews-tls"}');
    expect(JSON.stringify(manifests)).toContain('"PREVIEW_DOMAIN":"previews.example"');
    expect(JSON.stringify(renderChart(everything))).not.toContain('PREVIEW_DOMAIN');
    expect(() => renderChart({ previewDomain: 'https://previews.example' })).toThrow('previewDomain');
  });

  it('has no disruption budget that would block the eviction of a single Pod', () => {
    const budgets = (values: object) =>
      renderChart(values).filter(({ kind }) => kind === 'PodDisruptionBudget').length;
    expect([budgets({}), budgets({ api: { replicas: 1 }, worker: { replicas: 1 } })]).toEqual([2, 0]);
  });
});
