import { describe, expect, it } from '@jest/globals';
import { agentProblems, modelProblems, secretReferences } from '../../../contract/agent-references.ts';

const access = {
  endpoint: 'default',
  api_key: '${MODEL_KEY}',
  models: [],
  requests_per_session: 1,
  tokens_per_session: 1,
};
const claude = { type: 'builtin', name: 'claude' } as const;

describe("an agent's model access", () => {
  it('refers to its key as to any secret', () => {
    expect(secretReferences({ env: { A: '${TOKEN}' }, model_access: access })).toEqual([
      { path: 'env.A', secretName: 'TOKEN' },
      { path: 'model_access.api_key', secretName: 'MODEL_KEY' },
    ]);
    expect(agentProblems({ model_access: access }, new Map())).toMatchObject([
      { path: 'model_access.api_key', code: 'secret_not_set' },
    ]);
    const secrets = new Map([['MODEL_KEY', { is_set: true, allowed_servers: null }]]);
    expect(agentProblems({ model_access: access }, secrets)).toEqual([]);
    expect(agentProblems({ model_access: null }, new Map())).toEqual([]);
  });

  it('is required of the built-in agent claude alone', () => {
    expect(modelProblems({ run: claude, model_access: null })).toMatchObject([
      { path: 'model_access', code: 'required' },
    ]);
    expect(modelProblems({ run: claude, model_access: access })).toEqual([]);
    expect(modelProblems({ run: { type: 'builtin', name: 'scripted' }, model_access: null })).toEqual([]);
  });
});
