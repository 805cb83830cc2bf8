/** Who may use a route, found by evaluating its rule for one person of each kind. */
import type { AskingByScope } from '../policies/access.ts';
import type { AnyRoute, RouteScope } from '../route.ts';

const one = { id: 'one' };
const member = { user: one, role: 'member' } as const;
const admin = { user: one, role: 'admin' } as const;
const foreign = { operator_id: 'another', root_operator_id: 'another', schedule_maker_id: null };

/** Kinds of people, by what a route is about. An admin of these tables is neither owner nor operator. */
export const peopleByScope = {
  public: { anybody: {} },
  user: { 'anybody signed in': {} },
  workspace: { admin, member },
  agent: {
    admin: { ...admin, agent: { owner_id: 'another' } },
    "agent's owner": { ...member, agent: { owner_id: one.id } },
    'other member': { ...member, agent: { owner_id: 'another' } },
  },
  session: {
    admin: { ...admin, session: foreign, isShared: false },
    operator: {
      ...member,
      session: { ...foreign, operator_id: one.id, root_operator_id: one.id },
      isShared: false,
    },
    'operator at the root': {
      ...member,
      session: { ...foreign, operator_id: null, root_operator_id: one.id },
      isShared: false,
    },
    'maker of its schedule': {
      ...member,
      session: { operator_id: null, root_operator_id: null, schedule_maker_id: one.id },
      isShared: false,
    },
    'member it is shared with': { ...member, session: foreign, isShared: true },
    'other member': { ...member, session: foreign, isShared: false },
  },
  internal: { "the session's sidecar": {} },
  sidecar: { "the session's sidecar": {} },
  workload: { 'the sidecar of the session or check': {} },
  gateway: { 'the sidecar of the session, check or service': {} },
} satisfies { [Scope in RouteScope]: Record<string, AskingByScope[Scope]> };

/** The kinds of people of the route's scope who may use it, before any rule on the input. */
export function whoMay({ scope, access }: AnyRoute): string[] {
  return Object.entries<unknown>(peopleByScope[scope])
    .filter(([, asking]) => access.whyNot(asking as AskingByScope[RouteScope]) === null)
    .map(([kind]) => kind);
}
