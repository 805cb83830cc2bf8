/**
 * What holds for each route, whatever it does: who is refused, what is not found, and which bodies are not
 * taken. A new route is in these tables by itself.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { whoMay } from '../../../api/openapi/who-may.ts';
import { type AnyRoute, isInternal, type RouteScope } from '../../../api/route.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { closeWorkspace } from '../../../commands/workspaces/close.ts';
import { type ErrorCode, errorBody, httpStatusByCode } from '../../../contract/errors.ts';
import { maxRequestValues } from '../../../contract/json-values.ts';
import { type Asking, type KindsOfPeople, openKindsOfPeople } from '../../support/kinds-of-people.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const maxBodyBytes = 30_000;

const api = useSessionApi({ LIMIT_BODY_BYTES: String(maxBodyBytes) });
let people: KindsOfPeople;
beforeAll(async () => {
  people = await openKindsOfPeople(api);
});

interface Row {
  route: AnyRoute;
  /** In the sentence that says what went wrong. */
  who: string;
  asking: Asking;
}

interface Seen {
  status: number;
  /** Of an error. */
  code: ErrorCode | null;
  message: string;
}

const ofPeople: RouteScope[] = ['user', 'workspace', 'agent', 'session'];
const ofWorkspaces: RouteScope[] = ['workspace', 'agent', 'session'];
const ofSidecars: RouteScope[] = ['internal', 'sidecar', 'workload', 'gateway'];
/** Those that read the session before anything else is looked at. */
const ofReadSidecars: RouteScope[] = ['internal', 'workload', 'gateway'];

const rowsOf = (scopes: readonly RouteScope[], who: string, asking: Asking): Row[] =>
  api.routes.filter(({ scope }) => scopes.includes(scope)).map((route) => ({ route, who, asking }));

/** A row for each kind of people of `docs/api.md` who may use the route, or who may not. */
const rowsByKind = (may: boolean): Row[] =>
  api.routes.flatMap((route) =>
    Object.entries<Asking>(people.byKind[route.scope])
      .filter(([kind]) => whoMay(route).includes(kind) === may)
      .map(([who, asking]) => ({ route, who, asking })),
  );

/** One row for each route that reads a JSON body, as somebody who may use it. */
const rowsWithBody = (): Row[] => {
  const isRead = ({ method, body, rawBody }: AnyRoute) =>
    body !== undefined || (method !== 'get' && rawBody !== true);
  const rows = rowsByKind(true).filter(({ route }) => isRead(route));
  return rows.filter(({ route }, index) => rows.findIndex((row) => row.route === route) === index);
};

/** What is in a path beside the scope's own: nothing has such an id or name. */
const placeOf = (name: string, { places }: Asking): string =>
  places[name] ?? (name.endsWith('_id') ? randomUUID() : 'no-such-name');

async function ask(
  { route: { method, path, scope }, asking }: Row,
  { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Promise<Seen> {
  const place = path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => placeOf(name, asking));
  const answer = await fetch(`${api.url}${isInternal(scope) ? '/internal' : '/api'}${place}`, {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      ...asking.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status < 400) {
    // Of a stream, which has no end, the status is enough.
    await answer.body?.cancel();
    return { status: answer.status, code: null, message: '' };
  }
  const { error } = errorBody.parse(await answer.json());
  return { status: answer.status, code: error.code, message: error.message };
}

const textOf = ({ route: { method, path }, who }: Row, { status, code, message }: Seen) =>
  `${method.toUpperCase()} ${path}, asked by ${who}: ${status} ${code ?? ''} ${message}`;

/** The rows that are answered otherwise, each in a sentence. */
async function otherwise(
  rows: readonly Row[],
  isExpected: (seen: Seen, row: Row) => boolean,
  request: Parameters<typeof ask>[1] = {},
): Promise<string[]> {
  expect(rows).not.toHaveLength(0);
  const wrong: string[] = [];
  for (const row of rows) {
    const seen = await ask(row, request);
    if (!isExpected(seen, row)) {
      wrong.push(textOf(row, seen));
    }
  }
  return wrong;
}

const refusedWith =
  (code: ErrorCode) =>
  (seen: Seen): boolean =>
    seen.code === code && seen.status === httpStatusByCode[code];

describe('a route for people', () => {
  it('is refused to whoever has not signed in, also with the token of a session', async () => {
    const { places, asSidecar } = people;
    const rows = [
      ...rowsOf(ofPeople, 'nobody', { headers: {}, places }),
      ...rowsOf(ofPeople, 'nobody, with a cookie that is none', { headers: { cookie: 'session=x' }, places }),
      ...rowsOf(ofPeople, 'a sidecar', {
        ...asSidecar(placeOf('session_id', { headers: {}, places })),
        places,
      }),
    ];
    expect(await otherwise(rows, refusedWith('unauthenticated'))).toEqual([]);
  });

  it('is refused to each kind of members who may not use it, before its body is read', async () => {
    const rows = rowsByKind(false).filter(({ route }) => ofPeople.includes(route.scope));
    expect(await otherwise(rows, refusedWith('forbidden'))).toEqual([]);
  });

  it('is not refused to each kind of people who may use it', async () => {
    // No handler is called that changes something: the body is no JSON.
    const isPast = ({ code }: Seen, { route }: Row) =>
      route.method === 'get'
        ? code !== 'unauthenticated' && code !== 'forbidden' && code !== 'internal_error'
        : code === 'malformed_request';
    const rows = rowsByKind(true).filter(({ route }) => ofPeople.includes(route.scope));
    const reading = rows.filter(({ route }) => route.method === 'get');
    const writing = rows.filter(({ route }) => route.method !== 'get');
    expect(await otherwise(reading, isPast)).toEqual([]);
    expect(await otherwise(writing, isPast, { body: '{' })).toEqual([]);
  });

  it('answers a stranger about what there is as about what there is not: 404', async () => {
    const { stranger, asPerson } = people;
    const nowhere = { slug: 'no-such-workspace', agent_id: randomUUID(), session_id: randomUUID() };
    const there = rowsOf(ofWorkspaces, 'an admin of another workspace', asPerson(stranger));
    const gone = rowsOf(ofWorkspaces, 'somebody', asPerson(stranger, nowhere));
    expect(await otherwise(there, refusedWith('not_found'))).toEqual([]);
    expect(await otherwise(gone, refusedWith('not_found'))).toEqual([]);
    for (const [index, row] of there.entries()) {
      const other = gone[index];
      expect(await ask(row)).toEqual(other && (await ask(other)));
    }
  });

  it('answers 404 for ids and texts that name nothing', async () => {
    const rows = rowsByKind(true).filter(
      ({ route }) =>
        route.method === 'get' &&
        ofPeople.includes(route.scope) &&
        /\{(?!slug|agent_id|session_id)/.test(route.path),
    );
    expect(await otherwise(rows, refusedWith('not_found'))).toEqual([]);
  });

  it('changes nothing in a closed workspace, but for what ends or refuses something', async () => {
    const { workspace, admin } = await api.workspace();
    await closeWorkspace(api.db, {
      ...{ workspaceId: workspace.id, userId: admin.user.id, name: workspace.name, reopenableDays: 30 },
    });
    const asking = people.asPerson(admin, { slug: workspace.slug });
    const rows = rowsOf(['workspace'], 'an admin of the closed workspace', asking).filter(
      ({ route }) => route.method !== 'get',
    );
    const isTaken = ({ stops, isForClosed }: AnyRoute) => stops === true || isForClosed === true;
    const refused = rows.filter(({ route }) => !isTaken(route));
    const taken = rows.filter(({ route }) => isTaken(route));
    expect(await otherwise(refused, refusedWith('workspace_closed'), { body: '{' })).toEqual([]);
    expect(await otherwise(taken, refusedWith('malformed_request'), { body: '{' })).toEqual([]);
  });
});

describe('a route for sidecars', () => {
  it("is refused without the session's own token, also to whoever has signed in", async () => {
    const { asSidecar, byKind, places } = people;
    const session = placeOf('session_id', { headers: {}, places });
    const operator = byKind.session.operator;
    const rows = [
      ...rowsOf(ofSidecars, 'nobody', { headers: {}, places }),
      ...rowsOf(ofSidecars, 'its operator', operator),
      ...rowsOf(ofSidecars, 'the sidecar of another session', asSidecar(session, randomUUID())),
    ];
    expect(await otherwise(rows, refusedWith('unauthenticated'))).toEqual([]);
  });

  it('is not found for a session that never was', async () => {
    const rows = rowsOf(ofReadSidecars, 'the sidecar of no session', people.asSidecar(randomUUID()));
    expect(await otherwise(rows, refusedWith('not_found'))).toEqual([]);
  });

  it('is refused once the session has ended', async () => {
    const { places } = await openKindsOfPeople(api);
    const ended = placeOf('session_id', { headers: {}, places });
    await moveSession(api.db, ended, { to: 'failed', reason: 'test' });
    const rows = rowsOf(ofReadSidecars, 'the sidecar of an ended session', people.asSidecar(ended));
    expect(await otherwise(rows, refusedWith('unauthenticated'))).toEqual([]);
  });
});

describe('a body', () => {
  const values = `[${'1,'.repeat(maxRequestValues)}1]`;

  it.each([
    ['over the limit of bytes', 'too_large', { body: JSON.stringify({ a: 'x'.repeat(maxBodyBytes) }) }],
    ['over the limit of values', 'too_large', { body: values }],
    ['that is not JSON', 'malformed_request', { body: '{"a": ' }],
    ['of another type', 'unsupported_media_type', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['that is compressed', 'unsupported_media_type', { body: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['with a field twice', 'validation_failed', { body: '{"a":1,"a":1}' }],
    ['that cannot be stored', 'validation_failed', { body: '{"a":"\\u0000"}' }],
    ['of unknown fields', 'validation_failed', { body: '{"no_such_field":1}' }],
    ['that is a list', 'validation_failed', { body: '[]' }],
  ] as const)('%s is refused by every route that reads one', async (_what, code, request) => {
    expect(await otherwise(rowsWithBody(), refusedWith(code), request)).toEqual([]);
  });
});

it('the tables have rows of all that is served', () => {
  const inTable = new Set([...rowsByKind(true), ...rowsByKind(false)].map(({ route }) => route));
  expect(api.routes.filter((route) => !inTable.has(route))).toEqual([]);
});
