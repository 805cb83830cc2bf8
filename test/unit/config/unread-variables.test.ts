import { describe, expect, it } from '@jest/globals';
import { settings } from '../../../config/settings.ts';
import { unreadVariables } from '../../../config/unread-variables.ts';

const sentences = (environment: Record<string, string>) =>
  unreadVariables(environment).map(({ name, fault }) => `${name} ${fault}`);

describe('variables that no process reads', () => {
  it.each([
    ['RATE_USER_PER_MINUTES', 'is not read; is RATE_USER_PER_MINUTE meant?'],
    ['LIMIT_RUNNING_SESSION_PER_USER', 'is not read; is LIMIT_RUNNING_SESSIONS_PER_USER meant?'],
    ['OIDC_CLIENTID', 'is not read; is OIDC_CLIENT_ID meant?'],
    ['MASTER_KEYS_FILES', 'is not read; is MASTER_KEYS_FILE meant?'],
    ['LOG_LEVELS', 'is not read; is LOG_LEVEL meant?'],
    ['LIMIT_BODY_BYTES', 'is not read: nobody sets this limit (docs/limits.md)'],
    ['RATE_SESSION_EVENTS_PER_MINUTE', 'is not read: nobody sets this limit (docs/limits.md)'],
    ['SANDBOX_COLOR_OF_THE_WALL', 'is not read'],
  ])('are named when they look like ours: %s', (name, fault) => {
    expect(sentences({ [name]: 'hunter2' })).toEqual([`${name} ${fault}`]);
  });

  it('are none of those that the API, a worker or `npm start` reads, files of secrets included', () => {
    const read = [...settings.map(({ name }) => name), 'MASTER_KEYS_FILE'];
    expect(read).toEqual(expect.arrayContaining(['COOKIE_KEY', 'SANDBOX', 'KUBECONFIG', 'DATA_DIR']));
    expect(sentences(Object.fromEntries(read.map((name) => [name, 'x'])))).toEqual([]);
  });

  it.each([
    [
      'of other programs',
      ['PATH', 'NODE_OPTIONS', 'NPM_CONFIG_CACHE', 'CONTAINER_HOST', 'TEMPORAL_CLI_COLOR'],
    ],
    ['of a desktop', ['SESSION_MANAGER', 'DESKTOP_SESSION', 'XDG_SESSION_ID']],
    ['of a cluster', ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_PORT', 'KUBERNETES_PORT_443_TCP_ADDR']],
    ['of another writing', ['rate_user_per_minutes', 'RATE_', 'npm_config_limit_x']],
  ])('are none %s', (_whose, names) => {
    expect(sentences(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });

  it('are absent when they are empty', () => {
    expect(sentences({ RATE_USER_PER_MINUTES: '' })).toEqual([]);
  });
});
