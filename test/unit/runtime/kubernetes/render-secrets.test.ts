import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { configuration, serverNamed } from '../../../support/frozen-configuration.ts';
import { checkProperty } from '../../../support/property.ts';
import { randomLaunch } from '../../../support/random-configurations.ts';
import { launch, podUid, renderAll } from './rendering.ts';

const decode = (data: Record<string, string> | undefined) =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );

describe('the Secrets of a launch', () => {
  it('are immutable, belong to the Pod, and each holds the values of one container only', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen, secrets, values }) => {
        const { secrets: rendered, workload } = renderAll(frozen, secrets);
        const holders = (value: string) =>
          rendered.filter(({ data }) => JSON.stringify(decode(data)).includes(value));
        const names = rendered.map(({ metadata }) => metadata?.name);
        expect(new Set(names).size).toBe(names.length);
        expect(rendered.every(({ immutable }) => immutable === true)).toBe(true);
        const owners = rendered.flatMap(({ metadata }) => metadata?.ownerReferences ?? []);
        expect(owners).toEqual(
          rendered.map(() => ({
            apiVersion: 'v1',
            kind: 'Pod',
            name: `session-${workload.sessionId}`,
            uid: podUid,
            blockOwnerDeletion: false,
          })),
        );
        const ofRegistries = new Set(Object.values(secrets.registryCredentials));
        const plain = values.filter((value) => !ofRegistries.has(`user:${value}`));
        expect(plain.filter((value) => holders(value).length !== 1)).toEqual([]);
      }),
      { runs: 300 },
    );
  });

  it('provide the sidecar’s boot file with its own token and key', () => {
    const secrets = {
      agentEnv: {},
      serverEnv: {},
      siblingEnv: {},
      registryCredentials: {},
      sidecar: { internal_token: 'the-token', control_key: 'the-key' },
    };
    const {
      secrets: [boot, ...others],
      pod,
    } = renderAll(configuration(), secrets);
    expect(others).toEqual([]);
    expect(JSON.parse(decode(boot?.data)['boot.json'] ?? '')).toMatchObject({
      internal_token: 'the-token',
      control_key: 'the-key',
      control_port: 7070,
    });
    expect(pod.spec?.volumes).toContainEqual({
      name: 'boot',
      secret: { secretName: boot?.metadata?.name, defaultMode: 0o440 },
    });
  });

  it('provide the credentials of a registry for one repository, with which the Pod pulls', () => {
    const server = serverNamed('files', {
      shape: { type: 'image', image: 'Registry.example:5000/team/files:1' },
      image_digest: `sha256:${'0'.repeat(64)}`,
      image_command: ['/server'],
      image_volumes: [],
      registry_credentials: { kind: 'secret', secret_name: 'R', secret_version: 1 },
    });
    const secrets = {
      agentEnv: {},
      serverEnv: { files: {} },
      siblingEnv: {},
      registryCredentials: { files: 'ada:pass:word' },
      sidecar: { internal_token: 't', control_key: 'k' },
    };
    const { secrets: rendered, pod } = renderAll(configuration({ servers: [server] }), secrets);
    const registry = rendered.find(({ type }) => type === 'kubernetes.io/dockerconfigjson');
    expect(JSON.parse(decode(registry?.data)['.dockerconfigjson'] ?? '')).toEqual({
      auths: {
        'registry.example:5000/team/files': { auth: Buffer.from('ada:pass:word').toString('base64') },
      },
    });
    expect(pod.spec?.imagePullSecrets).toEqual([{ name: registry?.metadata?.name }]);
    expect(registry?.metadata?.name).toContain(launch);
    expect(pod.spec?.containers.map(({ imagePullPolicy }) => imagePullPolicy)).toEqual([
      'IfNotPresent',
      'Always',
      'IfNotPresent',
    ]);
  });

  it('are used for pulls beside those of the operator, which the Pod references by name', () => {
    checkProperty(
      fc.property(
        randomLaunch,
        fc.uniqueArray(fc.stringMatching(/^operator-[a-z]{1,3}$/), { maxLength: 3 }),
        ({ configuration: frozen, secrets }, imagePullSecrets) => {
          const { secrets: rendered, pod } = renderAll(frozen, secrets, { imagePullSecrets });
          const { imagePullSecrets: pulling, ...rest } = pod.spec ?? { containers: [] };
          const ofSession = rendered.filter(({ type }) => type === 'kubernetes.io/dockerconfigjson');
          const names = [...ofSession.map(({ metadata }) => metadata?.name), ...imagePullSecrets];
          expect(pulling).toEqual(names.length === 0 ? undefined : names.map((name) => ({ name })));
          // Nothing else of the session refers to them.
          expect(imagePullSecrets.filter((name) => JSON.stringify([rest, rendered]).includes(name))).toEqual(
            [],
          );
        },
      ),
      { runs: 200 },
    );
  });

  it('are refused when a value was not resolved', () => {
    const frozen = configuration({
      agent: { env: { TOKEN: { kind: 'secret', secret_name: 'T', secret_version: 1 } } },
    });
    const secrets = {
      agentEnv: {},
      serverEnv: {},
      siblingEnv: {},
      registryCredentials: {},
      sidecar: { internal_token: 't', control_key: 'k' },
    };
    expect(() => renderAll(frozen, secrets)).toThrow('the secret of variable TOKEN was not resolved');
  });
});
