import { describe, expect, it } from '@jest/globals';
import { agentInput } from '../../../contract/agent.ts';
import type { Agent } from '../../../web/src/api/types.ts';
import {
  type AgentValues,
  changesBetween,
  contentOf,
  copyOf,
  exampleInstructions,
  fieldOf,
  hasField,
  instructionsProblem,
  newAgent,
  problemsOf,
  valuesOf,
} from '../../../web/src/pages/agents/agent-values.ts';
import {
  droppedVariables,
  envOfGiven,
  givenBefore,
} from '../../../web/src/pages/agents/attachment-values.ts';
import {
  envOf,
  hasOwnTools,
  rowProblems,
  rowsOf,
  withOwnTools,
} from '../../../web/src/pages/agents/env-values.ts';
import { newRun, runOf, runValuesOf } from '../../../web/src/pages/agents/run-values.ts';

const id = 'e3a7f0de-9f3d-4c6a-8f3b-2f8f4f0b7a11';
const agent: Agent = {
  id,
  workspace_id: id,
  owner_id: id,
  name: 'scribe',
  kind: 'orchestrator',
  run: { type: 'command', command: 'sh', args: ['-c', 'a\nb', ''] },
  instructions: ' kept as they are \n',
  model: null,
  env: { TOKEN: '${API_TOKEN}', PLAIN: 'a $ b' },
  siblings: [
    {
      ...{ name: 'db', run: { type: 'image', image: 'postgres:18' }, env: { PASSWORD: '${DB}' }, port: 5432 },
      ready: { type: 'command', command: 'pg_isready', args: ['-q'], timeout_seconds: 30 },
    },
    {
      ...{ name: 'cache', run: { type: 'command', command: 'redis-server', args: [] }, env: {}, port: 6379 },
      ready: { type: 'port', timeout_seconds: 60 },
    },
    { name: 'alone', run: { type: 'command', command: 'sh', args: [] }, env: {}, port: null, ready: null },
  ],
  services: [{ name: 'web', run: { type: 'command', command: 'node', args: ['web.js'] }, env: {} }],
  network: 'internet',
  egress_allow: ['10.0.0.1:80'],
  limits: { total_seconds: 60, idle_seconds: null },
  model_access: {
    endpoint: 'default',
    api_key: '${MODEL_KEY}',
    models: ['a-model', 'b-model'],
    requests_per_session: 10,
    tokens_per_session: 2000,
  },
  repository: { name: 'project', path: null, ref: 'main' },
  archived_at: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  unavailable: null,
};

describe("an agent's form", () => {
  it('sends back what it was given', () => {
    const {
      id: _,
      workspace_id,
      owner_id,
      archived_at,
      created_at,
      updated_at,
      unavailable,
      ...content
    } = agent;
    expect(contentOf(valuesOf(agent))).toEqual(content);
    expect(problemsOf(valuesOf(agent))).toEqual({});
  });

  it('sends only what was changed', () => {
    const before = contentOf(valuesOf(agent));
    const after = contentOf({ ...valuesOf(agent), name: 'other', egress: '10.0.0.1:80\n' });
    expect(changesBetween(before, after)).toEqual({ name: 'other' });
  });

  it('begins with what the API takes once it has a name and steps', () => {
    const values = { ...newAgent, name: 'a', instructions: exampleInstructions };
    expect(problemsOf(values)).toEqual({});
    expect(agentInput.safeParse(contentOf(values)).success).toBe(true);
  });

  it('copies what its maker may set, under a name of its own', () => {
    const first = { ...agent, name: 'n'.repeat(200), egress_allow: ['10.0.0.1:80'] };
    const copy = copyOf(first, { isAdmin: false });
    expect(copy.name).toMatch(/^n+ copy$/);
    expect(contentOf(copy)).toMatchObject({ egress_allow: [], run: first.run, env: first.env });
    expect(problemsOf(copy)).toEqual({});
    const odd = copyOf({ ...first, name: '𝄞'.repeat(50) }, { isAdmin: false });
    expect(odd.name).toBe(`${'𝄞'.repeat(47)} copy`);
    expect(problemsOf(odd)).toEqual({});
    expect(copyOf(first, { isAdmin: true }).egress).toBe('10.0.0.1:80');
  });

  it('keeps which agent of others runs, and asks for the program of one that it does not know', () => {
    const acp = { type: 'builtin', name: 'acp' } as const;
    const own = { ...acp, preset: 'custom' as const, command: 'my-agent', args: ['--acp'] };
    for (const run of [own, { ...acp, preset: 'codex' as const }]) {
      expect(runOf(runValuesOf(run))).toEqual(run);
    }
    const unnamed = { ...newAgent, name: 'a', run: { ...newRun, type: 'acp' as const } };
    expect(Object.keys(problemsOf(unnamed))).toEqual(['run.command']);
    expect(runOf({ ...newRun, type: 'claude' })).toEqual({ type: 'builtin', name: 'claude' });
  });

  it('names its problems at its own fields', () => {
    const values: AgentValues = {
      ...valuesOf(agent),
      name: '',
      run: { ...newRun, type: 'command' },
      env: [
        { name: 'PATH', kind: 'value', text: 'x' },
        { name: 'A', kind: 'value', text: 'x ${Y}' },
        { name: 'A', kind: 'value', text: '' },
        { name: '', kind: 'secret', text: '' },
      ],
      totalSeconds: 0,
      idleSeconds: Number.NaN,
    };
    expect(Object.keys(problemsOf(values)).sort()).toEqual([
      'env.0.text',
      'env.2.name',
      'env.3.name',
      'env.3.text',
      'idleSeconds',
      'name',
      'run.command',
      'totalSeconds',
    ]);
  });

  it('names the problems of a sibling at its fields', () => {
    const [db, cache] = valuesOf(agent).siblings;
    if (db === undefined || cache === undefined) {
      throw new Error('the agent has siblings');
    }
    const values: AgentValues = {
      ...valuesOf(agent),
      siblings: [
        { ...db, ready: { ...db.ready, command: '', timeoutSeconds: '' } },
        { ...cache, port: '' },
        { ...cache, name: 'low', port: 80 },
        { ...cache, name: 'own', port: 7071 },
      ],
    };
    const problems = problemsOf(values);
    expect(Object.keys(problems).sort()).toEqual([
      'siblings.0.ready.command',
      'siblings.0.ready.timeoutSeconds',
      'siblings.1.ready.type',
      'siblings.2.port',
      'siblings.3.port',
    ]);
    expect(Object.keys(problems).every(hasField)).toBe(true);
    const twice = problemsOf({ ...valuesOf(agent), siblings: [db, { ...db, name: 'other' }] });
    expect(Object.keys(twice)).toEqual(['siblings.1.port']);
  });

  it.each([
    ['env.PLAIN', 'env.1.text'],
    ['siblings.0.env.PASSWORD', 'siblings.0.env.0.text'],
    ['siblings.0.run.image', 'siblings.0.run.image'],
    ['siblings.1.port', 'siblings.1.port'],
    ['siblings.0.ready.args.0', 'siblings.0.ready.args.0'],
    ['siblings.0.ready.timeout_seconds', 'siblings.0.ready.timeoutSeconds'],
    ['run.args.1', 'run.args.1'],
    ['egress_allow.0', 'egress'],
    ['limits.idle_seconds', 'idleSeconds'],
  ])('shows %s at %s', (path, field) => expect(fieldOf(valuesOf(agent), path)).toBe(field));

  it('checks the steps of the scripted agent, and of no other', () => {
    const scripted = { ...newAgent.run, type: 'scripted' as const };
    expect(instructionsProblem({ run: scripted, instructions: '{' })).toMatch(/not JSON/);
    const steps = (count: number) =>
      JSON.stringify({ steps: Array.from({ length: count }, () => ({ sleep_seconds: 0 })) });
    expect(instructionsProblem({ run: scripted, instructions: steps(1000) })).toBeNull();
    // The sentence with which a session would refuse them.
    expect(instructionsProblem({ run: scripted, instructions: steps(1001) })).toMatch(
      /steps: must have at most 1000/,
    );
    expect(instructionsProblem({ run: scripted, instructions: '{"steps":[{"sleep_seconds":-1}]}' })).toMatch(
      /steps.0/,
    );
    const unsaved = '{"steps":[{"call":"a.b","arguments":{"id":{"$saved":"child"}}}]}';
    expect(instructionsProblem({ run: scripted, instructions: unsaved })).toMatch(
      /steps\.0\.arguments\.id: step 1 uses the variable "child"/,
    );
    expect(instructionsProblem({ run: scripted, instructions: exampleInstructions })).toBeNull();
    expect(instructionsProblem({ run: { ...scripted, type: 'command' }, instructions: '{' })).toBeNull();
  });
});

describe('rows of an environment', () => {
  it('keep values and references apart', () => {
    const env = { A: '${B}', C: '${B} and', D: '' };
    expect(rowsOf(env).map(({ kind }) => kind)).toEqual(['secret', 'value', 'value']);
    expect(envOf(rowsOf(env))).toEqual(env);
  });
  it('have problems where an environment would lose something', () => {
    expect(rowProblems(rowsOf({ A: 'x' }))).toEqual({});
    const row = { name: 'A', kind: 'value' as const, text: '' };
    expect(rowProblems([row, { ...row, name: ' A ' }])).toEqual({ '1.name': 'is a duplicate' });
  });
});

describe('whether an agent of somebody else has tools of its own', () => {
  it('is one variable among the others, and none means no', () => {
    const rows = rowsOf({ A: 'x' });
    const allowed = withOwnTools(rows, true);
    expect([hasOwnTools(rows), hasOwnTools(allowed)]).toEqual([false, true]);
    expect(envOf(allowed)).toEqual({ A: 'x', ACP_TOOLS: 'all' });
    expect(withOwnTools(allowed, false)).toEqual(rows);
    expect(hasOwnTools(rowsOf({ ACP_TOOLS: 'read,edit' }))).toBe(true);
    expect(hasOwnTools(rowsOf({ ACP_TOOLS: '' }))).toBe(false);
    expect(envOf(withOwnTools(rowsOf({ ACP_TOOLS: '' }), true))).toEqual({ ACP_TOOLS: 'all' });
  });
});

describe('what an attachment gives', () => {
  const manifest = {
    env: {
      TOKEN: { kind: 'secret' as const, label: '' },
      REGION: { kind: 'value' as const, label: '' },
      MODE: { kind: 'value' as const, label: '' },
    },
    tool_scopes: {},
  };
  it('is shown by the names of secrets and sent as references, without what is empty', () => {
    const given = givenBefore(manifest, { TOKEN: '${API_TOKEN}', REGION: 'eu' });
    expect(given).toEqual({ TOKEN: 'API_TOKEN', REGION: 'eu', MODE: '' });
    expect(envOfGiven(manifest, given)).toEqual({ TOKEN: '${API_TOKEN}', REGION: 'eu' });
  });
  it('names what a changed manifest drops', () => {
    expect(droppedVariables(manifest, { TOKEN: 'plain', OLD: 'x', REGION: 'eu', GONE: '' })).toEqual([
      'TOKEN',
      'OLD',
    ]);
  });
});
