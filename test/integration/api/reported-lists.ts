/** Lists of tools as a sidecar reports them to the API. */
import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import type { FrozenServer, Session } from '../../../contract/session.ts';
import type { ToolListReport } from '../../../contract/tool-definitions.ts';
import type { Person } from '../../support/api.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import type { SessionApi } from '../../support/session-api.ts';

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
export const definition = (text: string) => ({ digest: digestOf(text), text, is_cut: false });
export const tool = (name: string, text = `what ${name} does`) => ({ name, ...definition(text) });
export const listOf = (tools: object[], changes: Partial<ToolListReport> = {}) => ({
  server: 'files',
  is_complete: true,
  tools,
  instructions: null,
  ...changes,
});

export async function report(api: SessionApi, { id }: { id: string }, list: object): Promise<void> {
  expect(await api.asSidecar(id, 'POST', 'tool-lists', list)).toMatchObject({ status: 200 });
}

/** A running session of the person's, whose server `files` is frozen so. */
export async function sessionWith(
  api: SessionApi,
  { person, base }: { person: Person; base: string },
  server: Partial<FrozenServer>,
): Promise<Session> {
  const { session, agent } = await api.runningSession(person, base);
  const frozen = frozenFor(session, agent);
  const servers = frozen.servers.map((each) => ({ ...each, ...server }));
  await replaceConfiguration(api.db, { ...frozen, servers });
  return session;
}
