/** Variables of servers that are imported: what of a pasted text is kept, and what is asked for. */
import { describe, expect, it } from '@jest/globals';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';

const plan = (mcpServers: Record<string, unknown>) => planImport(JSON.stringify({ mcpServers }));

describe('the value of a variable that is imported', () => {
  const env = (text: string, name = 'DETAIL') => {
    const planned = plan({ a: { command: 'npx', env: { [name]: text } } }).servers[0];
    return { ...planned?.variables[0], notes: planned?.notes };
  };

  it.each([
    ['${DETAIL:-brief}', 'brief', false],
    ['https://${HOST:-api.example.com}/v1', 'https://api.example.com/v1', false],
    ['', null, false],
    ['${DETAIL:-}', null, false],
    ['<your region>', null, true],
    ['xxx', null, true],
    ['/Users/me/data.json', null, true],
    ['http://localhost:3000', null, true],
    ['0.0.0.0', '0.0.0.0', false],
    ['yourself', 'yourself', false],
  ])('%j has the default %j', (text, storedDefault, isRequired) => {
    expect(env(text)).toMatchObject({ kind: 'value', storedDefault, isRequired });
  });

  it.each([
    '${DETAIL}',
    '$DETAIL',
    '%DETAIL%',
    '${env:DETAIL}',
    '${input:detail}',
    'postgres://me:${PW}@db.example/x',
    '{"Authorization": "Bearer abc"}',
    '{"headers":{"x-api-key":"correcthorse"}}',
    'Server=db;User=me;Password=correcthorse',
    'https://api.example.com/v1?token=correcthorse',
    '${DETAIL:-ghp_correcthorse}',
  ])('%j is for a secret, and is not kept', (text) => {
    const planned = env(text);
    expect(planned).toMatchObject({ kind: 'secret', storedDefault: null, isRequired: true });
    expect(JSON.stringify(planned)).not.toMatch(/horse|abc/);
  });

  it('may be left empty where its reference says so', () => {
    expect(env('${API_KEY:-}', 'API_KEY')).toMatchObject({ kind: 'secret', isRequired: false });
  });

  it('says what of it is not kept', () => {
    expect(env('${API_KEY:-abc}', 'API_KEY').notes).toEqual([
      'the default of API_KEY is not kept, since it may be a secret',
    ]);
    expect(env('https://${HOST}/v1').notes).toEqual([
      'the value of DETAIL is to be given as a whole, in the form that the text has',
    ]);
    expect(env('/Users/me/data.json').notes).toEqual([
      'the value of DETAIL is not kept: /Users/me/data.json is a path of the machine that the text was written for',
    ]);
  });

  it('is what the input of an editor says', () => {
    const server = {
      command: 'npx',
      env: { REGION: '${input:region}', SIZE: '${input:size}', PAT: '${input:pat}' },
    };
    const inputs = [
      { id: 'region', type: 'pickString', description: 'Where', options: ['eu', 'us'], default: 'eu' },
      { id: 'size', type: 'promptString', description: 'How large' },
      { id: 'pat', type: 'promptString' },
      'x',
    ];
    const [planned] = planImport(JSON.stringify({ servers: { a: server }, inputs })).servers;
    expect(planned?.input.manifest?.env).toEqual({
      REGION: { kind: 'value', label: 'Region', description: 'Where', enum: ['eu', 'us'], default: 'eu' },
      SIZE: { kind: 'value', label: 'Size', description: 'How large', required: true },
      PAT: { kind: 'secret', label: 'Pat', required: true },
    });
    expect(planned?.problems).toEqual([]);
  });

  it('is asked for where a person says that a reference is for no secret', () => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'npx', env: { DETAIL: '${DETAIL}' } } } });
    expect(planImport(text, { kinds: { 'a / DETAIL': 'value' } }).servers[0]?.variables).toEqual([
      { name: 'DETAIL', kind: 'value', storedDefault: null, isRequired: true },
    ]);
  });

  it.each([
    ['PATH', '/usr/local/bin'],
    ['NODE_OPTIONS', '--import=x'],
    ['NPM_CONFIG_REGISTRY', 'https://packages.example'],
    ['UV_INDEX_URL', 'https://packages.example'],
  ])('is refused in the plan, as saving would, where it decides which code runs: %s', (name, text) => {
    expect(plan({ a: { command: 'npx', env: { [name]: text } } }).servers[0]?.problems).toEqual([
      `${name} decides which code a program loads; a manifest may not set it: remove it from the text`,
    ]);
  });

  it.each([
    'LOG_LEVEL',
    'FASTMCP_LOG_LEVEL',
    'npm_config_loglevel',
    'NPM_CONFIG_LOGLEVEL',
    'UV_NO_PROGRESS',
    'PIP_QUIET',
  ])('is taken where it only decides what is logged: %s', (name) => {
    expect(plan({ a: { command: 'npx', env: { [name]: 'error' } } }).servers[0]?.problems).toEqual([]);
  });
});
