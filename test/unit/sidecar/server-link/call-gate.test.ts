/** What the gate asks about a call, keeps of its refusal, and tells the agent. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckAnswer } from '../../../../contract/sidecar.ts';
import type { CheckRequest } from '../../../../sidecar/platform-api/platform-api.ts';
import { PlatformUnreachable } from '../../../../sidecar/platform-api/request.ts';
import { createCallGate } from '../../../../sidecar/server-link/call-gate.ts';
import { createLastRefusals } from '../../../../sidecar/server-link/last-refusals.ts';
import { createLedger } from './create-ledger.ts';

const scope = 'files.write';
const reported = {
  server: 'files',
  tool: 'write',
  arguments: '{"text":"private"}',
  arguments_size_bytes: 18,
};
const described = { sha256: 'a'.repeat(64), reported };
const refused: CheckAnswer = { decision: 'refused', code: 'permission_required', scope };

let asked: CheckRequest[];
let answer: () => CheckAnswer;
let refusals: ReturnType<typeof createLastRefusals>;
beforeEach(() => {
  asked = [];
  answer = () => refused;
  refusals = createLastRefusals();
});

const check = (checked: Partial<Parameters<ReturnType<typeof createCallGate>['check']>[1]> = {}) => {
  const checkCall = async (request: CheckRequest) => {
    asked.push(request);
    return answer();
  };
  const call = createLedger().ledger.begin('write');
  return createCallGate({ checkCall }, refusals).check(call, {
    ...{ scope, described, shown: undefined, isUnforwarded: false },
    ...checked,
  });
};

describe('a check', () => {
  it('names exactly the call where it can', async () => {
    const call_id = expect.any(String);
    const shown = { tools: [], instructions: [] } as never;
    await check();
    await check({ described: { ...described, sha256: null } });
    await check({ scope: null, described: null, shown });
    expect(asked).toEqual([
      { call_id, server: 'files', tool: 'write', call_sha256: described.sha256 },
      { call_id, server: 'files', tool: 'write' },
      { call_id, server: 'files', tool: 'write', shown },
    ]);
  });
});

describe('a call for which a permission is missing', () => {
  it('is kept for the request that follows', async () => {
    const { refusal } = await check();
    expect(refusal).toMatchObject({ code: 'permission_required', scope, server: 'files', tool: 'write' });
    expect(refusal?.message).toContain('no active grant covers it');
    expect(refusals.lastFor(scope)).toEqual(reported);
  });

  it('is not kept when it is refused for another reason, or allowed', async () => {
    answer = () => ({ decision: 'refused', code: 'tool_changed', scope });
    expect((await check()).refusal).toMatchObject({ code: 'tool_changed' });
    answer = () => {
      throw new PlatformUnreachable('gone');
    };
    expect((await check()).refusal).toMatchObject({ code: 'gate_unavailable' });
    answer = () => ({ decision: 'allowed', granted_via: null });
    expect((await check()).refusal).toBeNull();
    expect(refusals.lastFor(scope)).toBeNull();
  });

  it('is kept, and its agent told, when exactly one other call was approved', async () => {
    const usual = (await check()).refusal;
    answer = () => ({ ...refused, differs_from_approved: true });
    const { refusal } = await check();
    expect(refusal).toEqual({
      ...usual,
      differs_from_approved: true,
      message:
        'Exactly one call of the tool write of files was approved, and this one differs from it in its arguments, so it was not made.',
      next_steps: [
        'Make exactly the call that was approved: its approval still holds.',
        'Or ask for this one. Call request_permission of the platform server, once, with {"grant_type":"tool_scope","details":{"scope":"files.write"},"scope":"once","justification":"why you need it","wait_seconds":300}. It waits for a person.',
        ...(usual?.next_steps.slice(1) ?? []),
      ],
    });
    expect(refusals.lastFor(scope)).toEqual(reported);
    expect(JSON.stringify(refusal)).not.toContain('private');
  });
});
