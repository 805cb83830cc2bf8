/** A workspace with one person, and one sidecar, of each kind that routes tell apart (`peopleByScope`). */
import { randomUUID } from 'node:crypto';
import type { peopleByScope } from '../../api/openapi/who-may.ts';
import type { RouteScope } from '../../api/route.ts';
import { createSession } from '../../commands/sessions/create.ts';
import type { Agent } from '../../contract/agent.ts';
import { internalToken } from '../../contract/session-keys.ts';
import { internalTokenHeader } from '../../contract/sidecar.ts';
import type { Person, TestApi } from './api.ts';

/** Somebody's credentials, and what they ask about: by the names of a path's parameters. */
export interface Asking {
  headers: Readonly<Record<string, string>>;
  places: Readonly<Record<string, string>>;
}

type ByKind = { [Scope in RouteScope]: Record<keyof (typeof peopleByScope)[Scope], Asking> };

export interface KindsOfPeople {
  byKind: ByKind;
  /** Of the workspace, an agent in it and its operator's session. */
  places: Asking['places'];
  /** An admin, but of another workspace. */
  stranger: Person;
  asPerson(person: Person, places?: Asking['places']): Asking;
  asSidecar(sessionId: string, tokenOf?: string): Asking;
}

export async function openKindsOfPeople(api: TestApi): Promise<KindsOfPeople> {
  const { workspace, admin, member: operator, base } = await api.workspace();
  const { admin: stranger } = await api.workspace();
  const [owner, other] = [await api.person('Owner'), await api.person('Other Member')];
  await api.join(workspace, owner, 'member');
  await api.join(workspace, other, 'member');
  const run = { type: 'builtin', name: 'scripted' };
  const { agent } = await owner.ok<{ agent: Agent }>('POST', `${base}/agents`, { name: 'kinds', run });
  const { schedule } = await operator.ok<{ schedule: { id: string } }>('POST', `${base}/schedules`, {
    ...{ agent_id: agent.id, name: 'Yearly', prompt: 'Look' },
    spec: { kind: 'cron', expression: '0 0 1 1 *' },
  });

  const session = async (started: Partial<Parameters<typeof createSession>[1]>): Promise<string> => {
    const people = { operatorId: null, rootOperatorId: null, parentSessionId: null };
    const of = { id: randomUUID(), workspaceId: workspace.id, agentId: agent.id };
    return (await createSession(api.db, { ...of, ...people, prompt: '', ...started })).id;
  };
  const own = await session({ operatorId: operator.user.id, rootOperatorId: operator.user.id });
  const ofChild = await session({ rootOperatorId: operator.user.id, parentSessionId: own });
  const scheduled = await session({
    schedule: { id: schedule.id, makerId: operator.user.id, requestExpirySeconds: null },
  });
  const shared = await session({ operatorId: operator.user.id, rootOperatorId: operator.user.id });
  await api.db('sessions').where({ id: shared }).update({ shared_with_workspace: true });

  const places = { slug: workspace.slug, agent_id: agent.id, session_id: own };
  const asPerson: KindsOfPeople['asPerson'] = ({ cookie }, at = places) => ({
    headers: { cookie },
    places: at,
  });
  const asSidecar: KindsOfPeople['asSidecar'] = (sessionId, tokenOf = sessionId) => ({
    headers: { [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, tokenOf) },
    places: { session_id: sessionId },
  });
  const at = (person: Person, sessionId: string) => asPerson(person, { ...places, session_id: sessionId });
  return {
    places,
    stranger,
    asPerson,
    asSidecar,
    byKind: {
      public: { anybody: { headers: {}, places: {} } },
      user: { 'anybody signed in': asPerson(other, {}) },
      workspace: { admin: asPerson(admin), member: asPerson(other) },
      agent: {
        admin: asPerson(admin),
        "agent's owner": asPerson(owner),
        'other member': asPerson(other),
      },
      session: {
        admin: asPerson(admin),
        operator: asPerson(operator),
        'operator at the root': at(operator, ofChild),
        'maker of its schedule': at(operator, scheduled),
        'member it is shared with': at(other, shared),
        'other member': asPerson(other),
      },
      internal: { "the session's sidecar": asSidecar(own) },
      sidecar: { "the session's sidecar": asSidecar(own) },
      workload: { 'the sidecar of the session or check': asSidecar(own) },
      gateway: { 'the sidecar of the session, check or service': asSidecar(own) },
    },
  };
}
