import { describe, expect, it } from '@jest/globals';
import { agent, agentInput, agentPatch } from '../../../contract/agent.ts';
import { fieldProblemsOf } from '../../../contract/errors.ts';
import { defaultServicePort, frozenServicePort } from '../../../contract/service-variables.ts';

const value = (text: string) => ({ PORT: { kind: 'value', value: text } as const });

describe('the port of a service', () => {
  it('is 8080 unless its PORT says otherwise', () => {
    expect(frozenServicePort({})).toEqual({ port: defaultServicePort, problem: null });
    expect(frozenServicePort(value('1024'))).toEqual({ port: 1024, problem: null });
    expect(frozenServicePort(value('65535'))).toEqual({ port: 65_535, problem: null });
  });

  it.each([
    '',
    '0',
    '80',
    '1023',
    '65536',
    '99999',
    '+8080',
    ' 8080',
    '8080 ',
    '8e3',
    '0x1f90',
    '080800',
    '٨٠٨٠',
  ])('is not %j', (text) => {
    expect(frozenServicePort(value(text))).toEqual({
      ...{ port: null, problem: 'must be a port from 1024 to 65535' },
    });
  });

  it('is no secret', () => {
    const PORT = { kind: 'secret', secret_name: 'WEB_PORT', secret_version: 1 } as const;
    expect(frozenServicePort({ PORT })).toEqual({
      ...{ port: null, problem: 'must be a plain value, and not a secret' },
    });
  });
});

describe('a service as it is saved', () => {
  const run = { type: 'command', command: 'node', args: [] };
  const scripted = { type: 'builtin', name: 'scripted' };
  const withServices = (...services: object[]) => ({ name: 'a', run: scripted, services });
  /** The same of a new agent and of a change. */
  function problemsOf(...services: object[]) {
    const given = withServices(...services);
    const [created, changed] = [agentInput, agentPatch].map((schema) => {
      const parsed = schema.safeParse(given);
      return parsed.success ? [] : fieldProblemsOf(parsed.error);
    });
    expect(changed).toEqual(created);
    return created;
  }

  it('listens at 8080, or at the port that it is given', () => {
    const ports = [{}, { PORT: '1024' }, { PORT: '65535' }];
    expect(problemsOf(...ports.map((env, at) => ({ name: `s${at}`, run, env })))).toEqual([]);
  });

  it.each([
    ['80', 'must be a port from 1024 to 65535'],
    ['', 'must be a port from 1024 to 65535'],
    ['http', 'must be a port from 1024 to 65535'],
    ['${WEB_PORT}', 'must be a plain value, and not a secret'],
  ])('is refused with the PORT %j', (PORT, message) => {
    expect(problemsOf({ name: 'a', run }, { name: 'b', run, env: { PORT } })).toMatchObject([
      { path: 'services.1.env.PORT', message },
    ]);
  });

  it.each([{ name: 'scripted' }, { name: 'claude' }, { name: 'acp', preset: 'codex' }])(
    'is not the built-in agent $name',
    (given) => {
      expect(problemsOf({ name: 'web', run: { type: 'builtin', ...given } })).toMatchObject([
        {
          path: 'services.0.run.type',
          message: 'must be a command or an image: a built-in agent takes no requests',
        },
      ]);
    },
  );

  it('stays readable where it was stored before it was refused', () => {
    const id = 'e3a7f0de-9f3d-4c6a-8f3b-2f8f4f0b7a11';
    const saved = agentInput.parse({ name: 'a', run: scripted });
    const stored = {
      ...saved,
      ...{ id, workspace_id: id, owner_id: null, created_at: '2026-01-01T00:00:00Z' },
      ...{ archived_at: null, updated_at: '2026-01-01T00:00:00Z' },
      services: [{ name: 'web', run: scripted, env: { PORT: '80' } }],
    };
    expect(agent.parse(stored).services).toEqual(stored.services);
  });
});
