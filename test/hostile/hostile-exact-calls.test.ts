/** A person approves exactly one call; its agent shows one call and makes another. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Grant } from '../../contract/grant.ts';
import { maxShownArgumentsBytes, type PermissionRequest } from '../../contract/permission-request.ts';
import { canonicalJson } from '../../sidecar/json-rpc/canonical-json.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import {
  askForBox,
  exactCallAttempts,
  type MadeCall,
  makeCalls,
  modernMembers,
  ofSize,
  open,
  order,
  readNotes,
} from './attempts/exact-calls.ts';
import { boxServer } from './inside/box.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('A hostile agent that shows one call and makes another');
const refused = { outcome: 'permission_required', isToldWhy: false };
const differs = { outcome: 'permission_required', isToldWhy: true };
const carriedOut = { outcome: 'carried out', isToldWhy: false };
const asksForInput = { outcome: 'asks for input', isToldWhy: false };

let arena: Arena;
let session: HostileSession;

const makeAll = (calls: MadeCall[], { isAtOnce = false } = {}) => {
  const modern = calls[0]?.isModern ? modernMembers : '';
  return session.run(makeCalls, { argument: { calls, modern, isAtOnce } });
};
const make = async (call: MadeCall) => (await makeAll([call]))[0];
/** What the servers carried out so far. */
const notes = () => session.run(readNotes);

/** The agent asks; what a person then reads of the request. */
async function ask(): Promise<PermissionRequest> {
  const id = await session.run(askForBox);
  const path = `${arena.ada.workspace}/permission-requests/${id}`;
  return (await arena.ada.ok<{ permission_request: PermissionRequest }>('GET', path)).permission_request;
}
const argumentsOf = async ({ id }: PermissionRequest) => {
  const path = `${arena.ada.workspace}/permission-requests/${id}/call`;
  return (await arena.ada.ok<{ call: { arguments: string | null } }>('GET', path)).call.arguments;
};
const approveExactly = (request: PermissionRequest, digest = request.refused_call?.digest) =>
  arena.ada.send<{ grant: Grant; error: { code: string } }>('POST', `${arena.ada.workspace}/grants`, {
    agent_subject_id: request.agent_id,
    grant_type: request.grant_type,
    details: request.details,
    scope: 'once',
    request_id: request.id,
    exact_call: true,
    ...(digest === null ? {} : { call_digest: digest }),
  });
/** The call is refused, displayed, and approved. */
async function haveApproved(call: MadeCall): Promise<void> {
  expect(await make(call)).toEqual(refused);
  const request = await ask();
  expect(request.refused_call).toMatchObject({ server: call.server, tool: call.tool });
  expect(await argumentsOf(request)).toBe(canonicalJson(call.args, maxShownArgumentsBytes).text);
  const { status, body } = await approveExactly(request);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { grant: { scope: 'once', bound_to: { call_digest: request.refused_call?.digest } } },
  });
}

const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
  it(what, () => table.note({ what, by: 'agent', stoppedBy }, check));

describeWith('bwrap', 'slirp4netns')('an agent that shows one call and makes another', () => {
  beforeAll(async () => {
    arena = await Arena.enter();
    const gated = (tools: string[]) => Object.fromEntries(tools.map((tool) => [tool, 'box.use']));
    for (const [name, tools] of [
      ['box', ['open', 'shut', 'order']],
      ['twin', ['open']],
    ] as const) {
      await arena.ada.ok('POST', `${arena.ada.workspace}/mcp-servers`, {
        name,
        shape: boxServer(name),
        manifest: { tool_scopes: gated([...tools]) },
        network: 'none',
        client_features: ['elicitation'],
      });
    }
    const servers = ['files', 'box', 'twin'];
    session = await HostileSession.start(arena.ada, { name: 'pretender', servers });
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  describe('with one call approved', () => {
    it.each(exactCallAttempts.map((attempt) => [attempt.what, attempt] as const))(
      '%s',
      (what, { stoppedBy, shown, made, isToldWhy }) =>
        table.note({ what, by: 'agent', stoppedBy }, async () => {
          const before = await notes();
          await haveApproved(shown);
          // The controls: the approved call was used up by nothing else, and passes once.
          const isQuestion = shown.tool === 'order';
          expect(await makeAll([made, shown, shown])).toEqual([
            isToldWhy ? differs : refused,
            isQuestion ? asksForInput : carriedOut,
            refused,
          ]);
          const noted = `open: ${JSON.parse(shown.args).mark}`;
          expect(await notes()).toEqual((isQuestion ? before : [...before, noted]).toSorted());
        }),
    );

    it('passes when it is the same call, in other order and with other escapes', async () => {
      await haveApproved(open('{"mark":"same","to":{"name":"bob","bank":"b"},"amount":1.50}'));
      const written = '{ "amount": 1.50, "to": {"bank":"\\u0062", "name":"bo\\u0062"}, "m\\u0061rk":"same" }';
      expect(await make(open(written))).toEqual(carriedOut);
      expect(await make(open(written))).toEqual(refused);
    });

    noted('makes the approved call five times at once', 'one atomic update', async () => {
      const call = open('{"mark":"often"}');
      await haveApproved(call);
      const seen = await makeAll(Array<MadeCall>(5).fill(call), { isAtOnce: true });
      expect(seen.map(({ outcome }) => outcome).toSorted()).toEqual([
        'carried out',
        ...Array(4).fill('permission_required'),
      ]);
      expect((await notes()).filter((note) => note === 'open: often')).toHaveLength(1);
    });

    noted('answers the question of a call with another call', 'a round is of its call, or none', async () => {
      const hat = '{"mark":"hat"}';
      await haveApproved(order(hat));
      const answers = '"inputResponses":{"choice":{"action":"accept","content":{"colour":"red"}}}';
      const round = `,"requestState":"asked",${answers}`;
      const seen = await makeAll([
        order(hat),
        order('{"mark":"yacht"}', round),
        order(hat, round),
        order(hat),
      ]);
      expect(seen.map(({ outcome }) => outcome)).toEqual([
        'asks for input',
        'permission_required',
        'carried out',
        'permission_required',
      ]);
      const ordered = (await notes()).filter((note) => note.startsWith('order: '));
      expect(ordered).toEqual(['order: hat, asked']);
    });
  });

  describe('before anything is approved', () => {
    const harmless = open('{"mark":"harmless"}');
    const harmful = open('{"mark":"harmful"}');

    noted('has another call refused before it asks', 'the call that was refused last is shown', async () => {
      expect(await makeAll([harmless, harmful])).toEqual([refused, refused]);
      const request = await ask();
      expect(await argumentsOf(request)).toBe(harmful.args);
      expect((await approveExactly(request)).status).toBe(201);
      expect(await makeAll([harmless, harmful])).toEqual([differs, carriedOut]);
    });

    noted(
      'has another call refused after it asked',
      'a request whose call never changes; another call makes another request',
      async () => {
        expect(await make(harmless)).toEqual(refused);
        const first = await ask();
        expect(await make(harmful)).toEqual(refused);
        const second = await ask();
        expect(second.id).not.toBe(first.id);
        expect([await argumentsOf(first), await argumentsOf(second)]).toEqual([harmless.args, harmful.args]);
        // A person who has the first on the screen approves nothing else.
        const swapped = await approveExactly(second, first.refused_call?.digest);
        expect(swapped).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
        expect((await approveExactly(first)).status).toBe(201);
        expect(await makeAll([harmful, harmless, harmful])).toEqual([differs, carriedOut, refused]);
        expect((await approveExactly(second)).status).toBe(201);
        expect(await makeAll([harmless, harmful])).toEqual([differs, carriedOut]);
      },
    );

    noted(
      'hides what it does in arguments that are too large to show',
      'they can be bound to nothing',
      async () => {
        expect(await make(open(ofSize(maxShownArgumentsBytes + 1, 'hidden')))).toEqual(refused);
        const request = await ask();
        expect(request.refused_call).toEqual({
          ...{ server: 'box', tool: 'open', digest: null },
          arguments_size_bytes: maxShownArgumentsBytes + 1,
        });
        expect((await approveExactly(request)).status).toBe(422);
        const path = `${arena.ada.workspace}/permission-requests/${request.id}/deny`;
        await arena.ada.ok('POST', path, { reason: 'show it' });
      },
    );
  });

  it('leaves the session working', async () => {
    expect(await session.works()).toBe(true);
  });
});
