import { describe, expect, it } from '@jest/globals';
import { engineNetworks, engineSocket } from '../../../config/container-engine.ts';
import { ConfigurationError, parseEnvironment } from '../../../config/parse.ts';
import { runtimeConfig } from '../../../config/runtime.ts';
import { workerConfig } from '../../../config/worker.ts';

const images = {
  SIDECAR_IMAGE: 'platform/sidecar:1',
  SCRIPTED_IMAGE: 'platform/scripted:1',
  RUNNER_IMAGE: 'runner',
};
const parse = (environment: Record<string, string>) => {
  const config = parseEnvironment(runtimeConfig, { RUNTIME: 'container', ...images, ...environment });
  if (config.RUNTIME !== 'container') {
    throw new Error('another runtime');
  }
  return config;
};
const problemsOf = (environment: Record<string, string>): string => {
  try {
    parseEnvironment(workerConfig, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.message;
    }
    throw error;
  }
  return '';
};

describe('the runtime of a worker', () => {
  it('is processes of this machine by default', () => {
    const problems = problemsOf({});
    expect(problems).toContain('SESSIONS_DIR');
    expect(problems).not.toContain('SIDECAR_IMAGE');
  });

  it('accepts registries of packages only without credentials, which sandboxes would see', () => {
    const url = 'https://reader:hunter2@npm.example.com/';
    const problems = problemsOf({
      NPM_REGISTRY_URL: url,
      PYPI_INDEX_URL: 'ftp://x',
      SANDBOX_CA_FILE: 'ca.pem',
    });
    expect(problems).toContain('NPM_REGISTRY_URL: must have no user name and no password');
    expect(problems).not.toContain('hunter2');
    expect(problems).toContain('PYPI_INDEX_URL: must be an http or https URL');
    expect(problems).toContain('SANDBOX_CA_FILE: must be an absolute path');
    expect(problemsOf({ NPM_REGISTRY_URL: 'https://npm.example.com/' })).not.toContain('NPM_REGISTRY_URL');
  });

  it('reports its missing variables together with all other problems', () => {
    const problems = problemsOf({ RUNTIME: 'container' });
    for (const variable of ['DATABASE_URL', 'SIDECAR_IMAGE', 'SCRIPTED_IMAGE', 'RUNNER_IMAGE']) {
      expect(problems).toContain(variable);
    }
    expect(problems).not.toContain('SESSIONS_DIR');
  });

  it('is refused when it is unknown', () => {
    expect(problemsOf({ RUNTIME: 'podman' })).toContain('RUNTIME');
  });
});

describe('the container engine', () => {
  it('is the one that its own clients would use, else Docker’s', () => {
    expect(engineSocket(parse({}))).toBe('/var/run/docker.sock');
    expect(engineSocket(parse({ DOCKER_HOST: 'unix:///run/user/1/podman.sock' }))).toBe(
      '/run/user/1/podman.sock',
    );
  });

  it('has networks of its own for each installation', () => {
    expect(engineNetworks(parse({}))).toEqual({
      platform: 'gatepost-sidecars',
      internet: 'gatepost-internet',
    });
    expect(engineNetworks(parse({ CONTAINER_INSTALLATION: 'second' })).platform).toBe('second-sidecars');
  });

  it.each([
    ['DOCKER_HOST', '/run/docker.sock'],
    ['DOCKER_HOST', 'tcp://10.0.0.1:2375'],
    ['CONTAINER_INSTALLATION', 'Upper'],
    ['CONTAINER_INSTALLATION', 'a:b'],
    ['CONTAINER_DNS', 'dns.example'],
    ['CONTAINER_DNS', ','],
    ['SIDECAR_IMAGE', '-v'],
  ])('is not described by %s=%s', (variable, value) => {
    expect(() => parse({ [variable]: value })).toThrow(variable);
  });
});

describe('a worker whose sessions run on a cluster', () => {
  it('requires the images, and has safe defaults for the rest', () => {
    const config = parseEnvironment(runtimeConfig, { RUNTIME: 'kubernetes', ...images });
    expect(config).toMatchObject({
      RUNTIME: 'kubernetes',
      SECRET_DELIVERY: 'reference',
      KUBERNETES_NAMESPACE: 'gatepost-sessions',
      KUBERNETES_EGRESS_RANGES: [],
    });
    expect(problemsOf({ RUNTIME: 'kubernetes' })).toContain('SIDECAR_IMAGE');
  });
});
