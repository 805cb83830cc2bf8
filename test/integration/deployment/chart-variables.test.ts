/** What the chart gives the migrations and the Pods of sessions, and that it renders nothing twice. */
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { kubernetesFields } from '../../../config/kubernetes.ts';
import { type Manifest, mergeValues, renderChart } from '../../support/chart.ts';
import { describeWithTool } from '../../support/deployment-tools.ts';

const job = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).optional() }),
      spec: z.looseObject({
        containers: z.tuple([
          z.looseObject({
            env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
            resources: z.looseObject({ limits: z.unknown() }),
          }),
        ]),
      }),
    }),
  }),
});
const podOf = (manifests: Manifest[]) =>
  job.parse(manifests.find(({ kind }) => kind === 'Job')).spec.template;
const dataOf = (manifests: Manifest[], part: string) =>
  z
    .record(z.string(), z.string())
    .parse(
      manifests.find(
        ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === `platform-gatepost-${part}`,
      )?.['data'],
    );

/** All that has variables of its own. */
const everything = {
  previewDomain: 'previews.example',
  images: { claude: 'claude:1', acp: { claude: 'acp-claude:1', custom: 'acp:1' } },
  temporal: {
    uiUrl: 'https://temporal.example',
    tls: { enabled: true, existingSecret: 'temporal-tls', authority: true, serverName: 'temporal' },
    apiKey: { existingSecret: 'temporal-key' },
  },
  oidc: { clientSecret: { existingSecret: 'oidc' } },
  sessions: {
    ...{ pullSecrets: ['registry'], runtimeClass: 'gvisor', nodeSelector: { pool: 'sessions' } },
    tolerations: [{ operator: 'Exists' }],
  },
};

describeWithTool('helm')('the Helm chart', () => {
  describe('migrations', () => {
    const jobOf = (values: object) => podOf(renderChart(values)).spec;
    const toleration = { key: 'pool', operator: 'Exists' };
    const ofApi = {
      nodeSelector: { disk: 'ssd' },
      tolerations: [toleration],
      affinity: { nodeAffinity: {} },
      extraEnv: [{ name: 'NODE_OPTIONS', value: '--use-openssl-ca' }],
    };
    const placementOf = ({ nodeSelector, tolerations, affinity }: Record<string, unknown>) => ({
      ...{ nodeSelector, tolerations, affinity },
    });
    const valuesOf = (values: object) =>
      jobOf(values).containers[0].env.filter(({ value }) => value !== undefined);

    it('run where the API does, with its variables and certificates', () => {
      const volume = { name: 'authorities', configMap: { name: 'authorities' } };
      const mount = { name: 'authorities', mountPath: '/authorities' };
      const values = {
        api: ofApi,
        config: { NODE_EXTRA_CA_CERTS: '/authorities/ca.crt', LOG_LEVEL: 'warn' },
        extraVolumes: [volume],
        extraVolumeMounts: [mount],
      };
      const job = jobOf(values);
      const { extraEnv, ...placement } = ofApi;
      expect(placementOf(job)).toEqual(placement);
      expect(job['volumes']).toContainEqual(volume);
      expect(job.containers[0]['volumeMounts']).toContainEqual(mount);
      expect(valuesOf(values)).toEqual([
        { name: 'LOG_LEVEL', value: 'warn' },
        { name: 'NODE_EXTRA_CA_CERTS', value: '/authorities/ca.crt' },
        ...extraEnv,
      ]);
    });

    it('have what they are given in place of that, and each variable once', () => {
      const own = {
        ...{
          nodeSelector: { pool: 'jobs' },
          tolerations: [{ operator: 'Exists' }],
          affinity: { podAffinity: {} },
        },
      };
      const extraEnv = [{ name: 'LOG_LEVEL', value: 'debug' }];
      const values = {
        api: ofApi,
        config: { LOG_LEVEL: 'warn' },
        migrations: {
          ...own,
          extraEnv,
          podAnnotations: { a: 'b' },
          resources: { limits: { memory: '1Gi' } },
        },
      };
      expect(placementOf(jobOf(values))).toEqual(own);
      expect(valuesOf(values)).toEqual(extraEnv);
      expect(jobOf(values).containers[0].resources.limits).toEqual({ memory: '1Gi' });
      const { metadata } = podOf(renderChart(values));
      expect(metadata.annotations).toEqual({ a: 'b' });
      expect(placementOf(jobOf({}))).toEqual({});
    });
  });

  it('has the Pods of sessions tolerate what they are said to', () => {
    const tolerations = [
      { key: 'pool', operator: 'Equal', value: 'sessions', effect: 'NoSchedule' },
      { key: 'example.com/spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
    ];
    const worker = dataOf(renderChart({ sessions: { tolerations } }), 'worker');
    expect(z.object(kubernetesFields).parse(worker).KUBERNETES_TOLERATIONS).toEqual(tolerations);
    for (const wrong of [{ key: 'a', effect: 'Never' }, { keys: 'a' }, 'a']) {
      expect(() => renderChart({ sessions: { tolerations: [wrong] } })).toThrow('sessions');
    }
  });

  describe('a variable that the chart sets itself', () => {
    const manifests = renderChart(everything);
    const own = (name: string) => Object.keys(dataOf(manifests, name));
    const sentence = (of: string, name: string) =>
      `${of}: the chart sets ${name} itself, from other values: leave it out there`;
    const refused = (values: object) => () => renderChart(mergeValues(everything, values));

    it('is refused in config', () => {
      expect(own('api').length).toBeGreaterThan(9);
      for (const name of new Set([...own('api'), ...own('worker')])) {
        expect(refused({ config: { [name]: 'x' } })).toThrow(sentence('config', name));
      }
    });

    it('is refused in config, where it is a secret', () => {
      for (const name of ['DATABASE_URL', 'MASTER_KEYS', 'COOKIE_KEY', 'TEMPORAL_TLS_KEY']) {
        const words = `${name} is for a Secret, and this is a ConfigMap: name that Secret in the value for it`;
        expect(refused({ config: { [name]: 'x' } })).toThrow(`config: ${words}`);
        expect(refused({ sessions: { config: { [name]: 'x' } } })).toThrow(`sessions.config: ${words}`);
      }
      expect(refused({ config: { DEMO_SIGN_IN: 'true' } })).toThrow('DEMO_SIGN_IN lets anybody in');
    });

    it('is refused in the variables of one part', () => {
      for (const name of [
        'PORT',
        'PUBLIC_URL',
        'TEMPORAL_ADDRESS',
        'MASTER_KEYS',
        'OIDC_CLIENT_SECRET',
        'NODE_ENV',
      ]) {
        expect(refused({ api: { extraEnv: [{ name, value: 'x' }] } })).toThrow(
          sentence('api.extraEnv', name),
        );
      }
      for (const name of ['HEALTH_PORT', 'KUBERNETES_NODE_SELECTOR', 'DATABASE_URL', 'TEMPORAL_API_KEY']) {
        expect(refused({ worker: { extraEnv: [{ name, value: 'x' }] } })).toThrow(
          sentence('worker.extraEnv', name),
        );
      }
      expect(refused({ migrations: { extraEnv: [{ name: 'DATABASE_URL', value: 'x' }] } })).toThrow(
        sentence('migrations.extraEnv', 'DATABASE_URL'),
      );
      for (const name of ['HEALTH_PORT', 'SIDECAR_IMAGE', 'TEMPORAL_NAMESPACE']) {
        expect(refused({ sessions: { config: { [name]: 'x' } } })).toThrow(sentence('sessions.config', name));
      }
    });

    it('is theirs to set where the chart does not', () => {
      renderChart({
        config: { PREVIEW_DOMAIN: 'previews.example' },
        api: { extraEnv: [{ name: 'LOG_LEVEL', value: 'warn' }] },
      });
      renderChart({
        config: { LOG_LEVEL: 'info' },
        worker: { extraEnv: [{ name: 'LOG_LEVEL', value: 'warn' }] },
      });
    });

    it.each([
      [
        'config and sessions.config',
        { config: { LOG_LEVEL: 'a' }, sessions: { config: { LOG_LEVEL: 'b' } } },
        'LOG_LEVEL is in config, too',
      ],
      [
        'one list',
        {
          api: {
            extraEnv: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        },
        'api.extraEnv: A is there twice',
      ],
      [
        'the annotations',
        { worker: { podAnnotations: { 'checksum/configuration': 'x' } } },
        'worker.podAnnotations: the chart sets checksum/configuration',
      ],
      [
        'the volumes',
        { extraVolumes: [{ name: 'tmp', emptyDir: {} }] },
        'the chart has a volume called tmp itself',
      ],
      [
        'the mounts',
        { extraVolumeMounts: [{ name: 'a', mountPath: '/tmp/' }] },
        'the chart mounts a volume at /tmp itself',
      ],
    ])('nor is anything there twice: in %s', (_where, values, message) => {
      expect(refused(values)).toThrow(message);
    });
  });
});
