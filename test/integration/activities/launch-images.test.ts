import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createReadImage } from '../../../activities/sessions/read-images.ts';
import { type EntryImage, registerMcpServer } from '../../../commands/mcp-servers/mcp-servers.ts';
import { clearSecret, restrictSecret } from '../../../commands/secrets/secrets.ts';
import type { Agent } from '../../../contract/agent.ts';
import { mcpServerInput } from '../../../contract/catalog.ts';
import type { Session } from '../../../contract/session.ts';
import { registryPolicy } from '../../../lib/oci/registry-policy.ts';
import { WorkloadFailedError } from '../../../runtime/workload.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { entrySave } from '../../support/entry-save.ts';
import { image, startTestRegistry, type TestRegistry } from '../../support/images.ts';
import type { Tenant } from '../../support/tenant.ts';

/** Sessions with images: what they freeze, and how it is used at the start. */
let activities: TestActivities;
let tenant: Tenant;
let registry: TestRegistry;
const credentials = 'puller:open-sesame';
const first = image();
const later = image({ config: { Entrypoint: ['/other'], Cmd: [] } });

beforeAll(async () => {
  activities = await createTestActivities();
  registry = await startTestRegistry();
  registry.push('team/server', '1', first);
  Object.assign(activities.runtime, { name: 'container' });
  const policy = registryPolicy(new Map([[registry.host, 'http' as const]]), new Map());
  activities.dependencies.readImage = createReadImage(policy);
});
afterAll(async () => {
  await activities.drop();
  await registry.close();
});

const reference = () => `${registry.host}/team/server:1`;
const freeze = ({ id }: Session) => activities.run('freezeConfiguration', { sessionId: id });
const configurationOf = ({ id }: Session) => readConfiguration(activities.db, id);

/** An agent with one image entry that is pulled with the secret REGISTRY. */
async function agentWithImageEntry(): Promise<Agent> {
  tenant = await activities.tenant();
  await tenant.secret('REGISTRY', credentials);
  const shape = { type: 'image' as const, image: reference(), registry_secret: '${REGISTRY}' };
  const input = mcpServerInput.parse({ name: 'boxed', shape });
  const { digest } = first;
  const read: EntryImage = {
    digest,
    command: ['/server'],
    volumes: ['/data'],
    manifest: { env: {}, tool_scopes: {} },
    manifestSource: 'none',
  };
  await registerMcpServer(activities.db, tenant.workspace.id, entrySave(input, tenant.ada.id, read));
  const agent = await tenant.agent();
  await tenant.attach(agent, 'boxed', {});
  return agent;
}

describe('an agent that is an image', () => {
  it('runs the image that its reference resolved to at the freeze, even if it changes later', async () => {
    tenant = await activities.tenant();
    const sibling = { name: 'db', run: { type: 'image' as const, image: reference() } };
    const agent = await tenant.agent({ run: { type: 'image', image: reference() }, siblings: [sibling] });
    const session = await tenant.session(agent);
    await freeze(session);
    registry.push('team/server', '1', later);
    await freeze(session);
    registry.push('team/server', '1', first);
    const frozen = { digest: first.digest, command: ['/server', '--stdio'] };
    expect(await configurationOf(session)).toMatchObject({
      agent: { image: frozen },
      siblings: [{ name: 'db', image: frozen }],
    });
  });

  it.each([
    ['a tag that is not there', () => `${registry.host}/team/server:none`, /team\/server:none: .*not/, true],
    // It may be reachable on a retry.
    ['a registry that is not there', () => 'registry.invalid/team/server:1', /invalid cannot be/, false],
    ['a private address that nobody named', () => '127.0.0.1:1/team/server:1', /private|address/, true],
  ])('is refused with %s, in words for the operator', async (_what, text, message, nonRetryable) => {
    tenant = await activities.tenant();
    const agent = await tenant.agent({ run: { type: 'image', image: text() } });
    await expect(freeze(await tenant.session(agent))).rejects.toMatchObject({
      type: 'launch_refused',
      nonRetryable,
      message: expect.stringMatching(message),
    });
  });
});

describe('a catalog entry that is an image', () => {
  it('is frozen with its digest, command and volumes, and a reference to what it is pulled with', async () => {
    const agent = await agentWithImageEntry();
    const session = await tenant.session(agent);
    await freeze(session);
    const configuration = await configurationOf(session);
    expect(configuration?.servers).toMatchObject([
      {
        image_digest: first.digest,
        image_command: ['/server'],
        image_volumes: ['/data'],
        registry_credentials: { kind: 'secret', secret_name: 'REGISTRY', secret_version: 1 },
      },
    ]);
    expect(JSON.stringify(configuration)).not.toContain('open-sesame');
  });

  it('is started with its credentials, which are passed to no container', async () => {
    const agent = await agentWithImageEntry();
    const session = await tenant.session(agent);
    await freeze(session);
    await activities.run('validateLaunch', { sessionId: session.id });
    await activities.run('startWorkload', { sessionId: session.id });
    const [started] = activities.runtime.started.filter(
      ({ configuration }) => configuration.session_id === session.id,
    );
    expect(started?.secrets).toMatchObject({
      registryCredentials: { boxed: credentials },
      serverEnv: { boxed: {} },
      agentEnv: {},
    });
  });

  it('does not start when its credentials were cleared, or it may no longer use them', async () => {
    const agent = await agentWithImageEntry();
    const cleared = await tenant.session(agent);
    const key = { workspaceId: tenant.workspace.id, name: 'REGISTRY' };
    await clearSecret(activities.db, key, tenant.ada.id);
    await freeze(cleared);
    await expect(activities.run('validateLaunch', { sessionId: cleared.id })).rejects.toThrow(
      'the image of "boxed": variable registry_secret needs secret REGISTRY, which is not set',
    );
    await tenant.secret('REGISTRY', credentials);
    await restrictSecret(activities.db, key, ['other'], tenant.ada.id);
    const restricted = await tenant.session(agent);
    await freeze(restricted);
    await expect(activities.run('validateLaunch', { sessionId: restricted.id })).rejects.toThrow(
      'the image of "boxed": variable registry_secret needs secret REGISTRY, which may not be given to "boxed"',
    );
  });
});

describe('a workload that cannot start', () => {
  it('reports the reason to the operator, without a value, and is not retried', async () => {
    const agent = await agentWithImageEntry();
    const session = await tenant.session(agent);
    await freeze(session);
    activities.runtime.startFailure = new WorkloadFailedError(`the registry refuses ${credentials}`);
    await expect(activities.run('startWorkload', { sessionId: session.id })).rejects.toMatchObject({
      type: 'launch_refused',
      nonRetryable: true,
      message: 'the registry refuses [value]',
    });
    activities.runtime.startFailure = null;
  });
});
