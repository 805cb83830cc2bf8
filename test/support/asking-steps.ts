/** Steps of a scripted agent that asks people for things. */

/** Asks for a scope, by default the one that the demo server's write tools are under. */
export const ask = (
  scope: 'once' | 'session' | 'persistent',
  justification = 'To write.',
  of = 'files.write',
) => ({
  call: 'platform.request_grant',
  arguments: { grant_type: 'tool_scope', details: { scope: of }, scope, justification },
});

/** Writes a file; needs `files.write`. */
export const write = (expected: 'ok' | 'permission_required' = 'ok') => ({
  call: 'files.write_file',
  arguments: { path: 'note.txt', content: 'x' },
  expect: expected,
});

export const say = (status: string) => ({ call: 'platform.emit_status', arguments: { status } });

export const waitFor = (contains: string) => ({ wait_for_message: { contains, timeout_seconds: 300 } });

/** Until somebody ends the session. */
export const waitForever = { wait_for_message: { contains: 'never said', timeout_seconds: 3600 } };
