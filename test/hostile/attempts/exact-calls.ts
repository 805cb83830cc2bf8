/** An agent that has one call approved, and makes another; programs are texts that it runs. */
import type { Kit } from '../inside/kit.ts';

export interface MadeCall {
  server: string;
  tool: string;
  /** Exactly as they are written. */
  args: string;
  /** Further members of `params`, each after a comma. */
  more?: string;
  /** Of the 2026 revision. */
  isModern?: true;
}

export interface ExactCallAttempt {
  what: string;
  stoppedBy: string;
  /** Is refused, displayed, and approved. */
  shown: MadeCall;
  made: MadeCall;
  /**
   * Whether the agent is told that exactly one other call was approved: not where that
   * call is of another tool.
   */
  isToldWhy: boolean;
}

export const open = (args: string, more = ''): MadeCall => ({ server: 'box', tool: 'open', args, more });
/** A call that its server answers with a question. */
export const order = (args: string, more = ''): MadeCall => ({
  ...{ server: 'box', tool: 'order', args, more },
  isModern: true,
});
const prefix = `"text":"${'harmless '.repeat(1400)}`;
/** Arguments of so many bytes in canonical form. */
export const ofSize = (bytes: number, mark: string): string => {
  const frame = `{"filler":"","mark":"${mark}"}`.length;
  return `{"filler":"${'x'.repeat(bytes - frame)}","mark":"${mark}"}`;
};

const changed = (what: string, shown: string, made: string): ExactCallAttempt => ({
  ...{ what, stoppedBy: 'a grant for exactly one call', isToldWhy: true },
  ...{ shown: open(shown), made: open(made) },
});
/** The same arguments, elsewhere. */
const elsewhere = (what: string, stoppedBy: string, to: Partial<MadeCall>): ExactCallAttempt => {
  const shown = open(`{"mark":"${what}"}`);
  return { what, stoppedBy, shown, made: { ...shown, ...to }, isToldWhy: false };
};

export const exactCallAttempts: ExactCallAttempt[] = [
  changed(
    'has a call approved and changes an argument',
    '{"mark":"argument","to":"bob","amount":10}',
    '{"mark":"argument","to":"eve","amount":10}',
  ),
  changed(
    'has a call approved and adds an argument',
    '{"mark":"key","to":"bob"}',
    '{"mark":"key","to":"bob","force":true}',
  ),
  changed(
    'has a call approved and leaves an argument out',
    '{"mark":"less","to":"bob","dry_run":true}',
    '{"mark":"less","to":"bob"}',
  ),
  changed(
    'has a call approved and writes a number otherwise',
    '{"mark":"number","amount":100}',
    '{"mark":"number","amount":100.0}',
  ),
  changed(
    'has a call approved and changes a number that JavaScript cannot tell from it',
    '{"mark":"large","account":9007199254740992}',
    '{"mark":"large","account":9007199254740993}',
  ),
  changed(
    'has a call approved and adds an invisible character',
    '{"mark":"invisible","to":"bob"}',
    '{"mark":"invisible","to":"bob\\u200b"}',
  ),
  changed(
    'has a call approved and changes half a surrogate pair',
    '{"mark":"half","to":"\\ud800"}',
    '{"mark":"half","to":"\\ud801"}',
  ),
  changed(
    'has a call approved and changes what follows a long beginning',
    `{"mark":"tail",${prefix}."}`,
    `{"mark":"tail",${prefix}; rm -rf /"}`,
  ),
  changed(
    'has a call approved and makes one that is too large to show',
    '{"mark":"size","filler":""}',
    ofSize(16 * 1024 + 1, 'size'),
  ),
  {
    what: 'has a call approved and says more beside its arguments',
    stoppedBy: 'calls that their arguments do not say all of have no name',
    shown: open('{"mark":"beside"}'),
    made: open('{"mark":"beside"}', ',"options":{"force":true}'),
    isToldWhy: true,
  },
  {
    what: 'has a call approved and makes it with the state of another call',
    stoppedBy: 'a call that begins with answers has no name',
    shown: order('{"mark":"state"}'),
    made: order('{"mark":"state"}', ',"requestState":"chosen: everything"'),
    isToldWhy: true,
  },
  elsewhere('has a call approved and calls another tool of the same scope', 'a grant for one tool', {
    tool: 'shut',
  }),
  elsewhere('has a call approved and calls a tool of that name of another server', 'a grant for one server', {
    server: 'twin',
  }),
];

/** Members that say that a line is of the 2026 revision. */
export const modernMembers = `,"_meta":${JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
})}`;

export interface Seen {
  outcome: string;
  /** It was told that exactly one other call was approved. */
  isToldWhy: boolean;
}

/**
 * Makes calls, each when the one before was answered, or all at once; on one connection to each server. The
 * outcome of each: `carried out`, `asks for input`, `no answer`, or the code of its refusal. `modern`:
 * members of a line of the 2026 revision, for all of them or none.
 */
export const makeCalls = async (
  kit: Kit,
  _target: unknown,
  { calls, modern, isAtOnce }: { calls: MadeCall[]; modern: string; isAtOnce: boolean },
): Promise<Seen[]> => {
  const wires: Record<string, Awaited<ReturnType<typeof kit.openServer>>> = {};
  const send = async ({ server, tool, args, more = '' }: MadeCall, id: number) => {
    wires[server] ??= await (modern === ''
      ? kit.openServer(server)
      : kit.wire(`/run/platform/mcp/${server}.sock`));
    const params = `{"name":${JSON.stringify(tool)},"arguments":${args}${modern}${more}}`;
    wires[server].send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
  };
  const read = async ({ server }: MadeCall, id: number): Promise<Seen> => {
    const answer = JSON.stringify(await wires[server]?.answer(id, 20_000));
    const code = /"(?:code|reason)\\*":\\*"(?!invalid_message)(\w+)/.exec(answer)?.[1];
    const passed = answer.includes('input_required') ? 'asks for input' : 'carried out';
    return {
      outcome: answer === 'null' ? 'no answer' : (code ?? passed),
      isToldWhy: answer.includes('differs from it in its arguments'),
    };
  };
  const seen: Seen[] = [];
  if (isAtOnce) {
    for (const [id, call] of calls.entries()) {
      await send(call, id);
    }
  }
  for (const [id, call] of calls.entries()) {
    if (!isAtOnce) {
      await send(call, id);
    }
    seen.push(await read(call, id));
  }
  for (const wire of Object.values(wires)) {
    wire.close();
  }
  return seen;
};

/** Asks for the scope of the box; returns the id of the request, or the whole answer. */
export const askForBox = async (kit: Kit): Promise<string> => {
  const details = { scope: 'box.use' };
  const args = { grant_type: 'tool_scope', details, scope: 'once', justification: 'only a harmless call' };
  const answer = JSON.stringify(await kit.callTool('platform', 'request_grant', args));
  return /"request_id\\*":\\*"([\w-]+)/.exec(answer)?.[1] ?? answer;
};

/** What both servers noted, sorted. */
export const readNotes = async (kit: Kit): Promise<string[]> => {
  const notes: string[] = [];
  for (const server of ['box', 'twin']) {
    const answer = JSON.stringify(await kit.callTool(server, 'ledger'));
    notes.push(...JSON.parse(JSON.parse(answer).result.content[0].text));
  }
  return notes.sort();
};
