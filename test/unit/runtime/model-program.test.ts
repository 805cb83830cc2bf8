/** How a session with model access is rendered, on each runtime. */

import { describe, expect, it } from '@jest/globals';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import { renderContainers } from '../../../runtime/container/render-containers.ts';
import type { ContainerSettings } from '../../../runtime/container-workload/container-settings.ts';
import { renderContainerWorkload } from '../../../runtime/container-workload/render-container-workload.ts';
import { renderWorkload } from '../../../runtime/process/render-launch.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import { chatEndpoint, testEndpoints } from '../../support/model-endpoints.ts';
import { testContainerSettings } from '../../support/random-configurations.ts';

const access = {
  endpoint: 'default',
  dialect: 'messages' as const,
  api_key: { kind: 'secret' as const, secret_name: 'MODEL_KEY', secret_version: 3 },
  models: ['some-model'],
  requests_per_session: 10,
  tokens_per_session: 1000,
};
const frozen = (changes: Partial<FrozenConfiguration> = {}) =>
  configuration({ agent: { model_access: access }, ...changes });
const inContainers = (changes: Partial<ContainerSettings> = {}, of = frozen()) =>
  renderContainerWorkload(of, { ...testContainerSettings, networks: 'own', ...changes });
const named = ({ containers }: ReturnType<typeof inContainers>, name: string) => {
  const found = containers.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
};
const sibling = {
  name: 'db',
  run: { type: 'command' as const, command: 'db', args: [] },
  image: null,
  env: {},
  port: 7071,
};
const privately = { modelEndpoints: testEndpoints('https://mcp.internal:8443/base') };
const rules = {
  sandbox: true,
  seededCommands: null,
  claude: false,
  internet: true,
  privateHosts: testContainerSettings.privateHosts,
  modelEndpoints: testEndpoints(),
};

describe('a session with model access in containers', () => {
  it('has a container that alone has the key, by name, and sees its own sockets', () => {
    const workload = inContainers();
    const model = named(workload, 'model');
    expect(model).toMatchObject({ role: 'model', network: 'internet', privateOrigin: null });
    expect(model.argv.slice(0, 4)).toEqual(['/opt/platform/bin/relay', 'run', '--network', 'restricted']);
    expect(model.argv.slice(-4, -1)).toEqual([
      'node',
      '--max-old-space-size=256',
      '/opt/platform/model-program.js',
    ]);
    expect(JSON.parse(model.argv.at(-1) ?? '')).toEqual({
      dialect: 'messages',
      default_max_tokens: 16_384,
      base_url: 'https://models.example.com',
      models: ['some-model'],
      socket_directory: '/run/platform/model',
      private_hosts: {},
    });
    expect(model.views).toContainEqual({ directory: 'model', path: '/run/platform/model' });
    expect(workload.containers.filter(({ env }) => env.some(({ name }) => name === 'MODEL_API_KEY'))).toEqual(
      [model],
    );
    expect(model.env).toContainEqual({ name: 'MODEL_API_KEY', isSecret: true });
    expect(workload.boot.model_access).toBe(true);
    expect(inContainers({}, configuration()).boot).not.toHaveProperty('model_access');
    expect(inContainers({}, configuration()).containers.map(({ name }) => name)).not.toContain('model');
  });

  it('reaches it by a port where the agent has a loopback of its own, and by the socket alone in a Pod', () => {
    const own = named(inContainers(), 'agent');
    expect(own.argv.join(' ')).toContain(' --listen 7071=/run/platform/agent/model.sock -- ');
    const shared = named(inContainers({ networks: 'shared' }), 'agent');
    expect(shared.argv).not.toContain('--listen');
    expect(shared.env).toContainEqual({ name: 'ANTHROPIC_BASE_URL', value: 'http://model.invalid' });
    expect(shared.argv.join(' ')).toContain(' --network none ');
  });

  it('opens a private endpoint for that container alone, and refuses one that would be itself', () => {
    const workload = inContainers(privately);
    const opened = workload.containers.filter(({ privateOrigin }) => privateOrigin !== null);
    expect(opened.map(({ name, privateOrigin }) => [name, privateOrigin])).toEqual([
      ['model', 'https://mcp.internal:8443'],
    ]);
    expect(JSON.parse(opened[0]?.argv.at(-1) ?? '')).toMatchObject({
      private_hosts: { 'mcp.internal:8443': 'https' },
    });
    expect(() => inContainers({ modelEndpoints: testEndpoints('http://127.0.0.1:9000') })).toThrow(
      '127.0.0.1:9000 of its endpoint would be its own container here',
    );
  });

  it('asks the endpoint that was frozen, and none that is another by now', () => {
    const at = (endpoint: string) =>
      frozen({
        agent: { ...frozen().agent, model_access: { ...access, endpoint, dialect: 'chat_completions' } },
      });
    const maximum_field = 'max_completion_tokens';
    const modelEndpoints = testEndpoints(undefined, { ...chatEndpoint, maximum_field });
    const model = named(inContainers({ modelEndpoints }, at('chat')), 'model');
    expect(JSON.parse(model.argv.at(-1) ?? '')).toMatchObject({
      dialect: 'chat_completions',
      base_url: 'https://chat.example.com/v1',
      default_max_tokens: 4096,
      maximum_field,
    });
    for (const endpoint of ['nothing', 'default']) {
      expect(() => inContainers({ modelEndpoints }, at(endpoint))).toThrow(
        `the endpoint "${endpoint}" is no longer what it was`,
      );
    }
  });

  it('refuses a sibling at the port of the model, where that is one', () => {
    const taken = frozen({ siblings: [sibling] });
    expect(() => inContainers({}, taken)).toThrow('the sibling "db": at the port 7071');
    expect(() => renderWorkload(taken, rules)).toThrow('the sibling "db": at the port 7071');
    expect(() => inContainers({ networks: 'shared' }, taken)).not.toThrow();
  });

  it('starts the program behind a network policy of its own, with the agent', () => {
    const plan = renderContainers(inContainers(), {
      installation: 'platform',
      platformNetwork: 'p',
      internetNetwork: 'i',
      dnsServers: [],
      temporaryBytes: 1,
    });
    const waves = plan.waves.map((wave) => wave.map(({ name }) => name));
    expect(waves).toEqual([[expect.stringContaining('model')], ['model', 'agent']]);
  });

  it('does not give a service of it that access', () => {
    const ofService = frozen({
      agent: { ...frozen().agent, run: sibling.run },
      service: { port: 4000 },
    });
    const workload = inContainers({}, ofService);
    expect(workload.containers.map(({ name }) => name)).toEqual(['sidecar', 'agent']);
    expect(JSON.stringify(workload.containers)).not.toContain('ANTHROPIC');
    expect(renderWorkload(ofService, rules).containers).toHaveLength(1);
  });
});

describe('the same as processes', () => {
  const program = (changes: Partial<typeof rules> = {}) => {
    const { containers } = renderWorkload(frozen(), { ...rules, ...changes });
    const model = containers.find(({ name }) => name === 'model');
    return { ...model?.program, privateOrigin: model?.privateOrigin };
  };

  it('needs a sandbox, and the internet unless the endpoint is private', () => {
    expect(() => program({ sandbox: false })).toThrow('needs a sandbox');
    expect(() => program({ internet: false })).toThrow("the agent's model access needs the internet");
    expect(program({ internet: false, ...privately })).toEqual({
      type: 'model',
      privateOrigin: 'https://mcp.internal:8443',
      config: {
        dialect: 'messages',
        default_max_tokens: 16_384,
        base_url: 'https://mcp.internal:8443/base',
        models: ['some-model'],
        socket_directory: '/run/platform/model',
        private_hosts: { 'mcp.internal:8443': 'https' },
        host_socket: '/run/platform/model/.host.sock',
      },
    });
  });
});
