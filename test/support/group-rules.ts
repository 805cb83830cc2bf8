/** A platform at a real identity provider, with rules for groups. */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { createWorkspace } from '../../commands/workspaces/workspaces.ts';
import type { Member, WorkspaceRole } from '../../contract/workspace.ts';
import { type Person, startTestApi, type TestApi } from './api.ts';
import { type GroupProvider, renewNow, startGroupProvider } from './group-provider.ts';
import { SignInBrowser } from './sign-in-browser.ts';

export const publicUrl = 'http://localhost:4998';
/** `team-1` are members of `ruled-1`, `leads-1` its admins. */
const rules = Array.from({ length: 30 }, (_, index) => [
  { value: `team-${index}`, workspace: `ruled-${index}`, role: 'member' },
  { value: `leads-${index}`, workspace: `ruled-${index}`, role: 'admin' },
]).flat();

/** Starts it for the tests of a file, of which each has a workspace, and people, of its own. */
export function useRuledApi(): RuledApi {
  const ruled = new RuledApi();
  beforeAll(() => ruled.start());
  beforeEach(() => ruled.beginTest());
  afterAll(() => ruled.stop());
  return ruled;
}

class RuledApi {
  idp!: GroupProvider;
  api!: TestApi;
  ada!: Person;
  private n = 0;

  get slug(): string {
    return `ruled-${this.n}`;
  }

  async start(): Promise<void> {
    this.idp = await startGroupProvider(publicUrl);
    this.api = await startTestApi({
      OIDC_ISSUER: this.idp.issuer,
      OIDC_CLIENT_ID: 'platform',
      OIDC_CLIENT_SECRET: 'client-secret',
      OIDC_GROUP_RULES: JSON.stringify(rules),
      OIDC_MORE_SCOPES: 'groups',
      PUBLIC_URL: publicUrl,
    });
    this.ada = await this.api.person('Ada Admin');
  }

  async beginTest(): Promise<void> {
    this.n += 1;
    this.idp.isAway = false;
    await createWorkspace(this.api.db, { slug: this.slug, name: 'Ruled' }, this.ada.user);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await this.idp.stop();
  }

  /** A person of this test alone. */
  named = (name: string): string => `${name}-${this.n}`;
  team = (): string => this.named('team');
  leads = (): string => this.named('leads');
  says = (name: string, claims: Record<string, unknown>) => this.idp.claims.set(this.named(name), claims);
  renew = (how: Parameters<typeof renewNow>[1] = {}) => renewNow(this.api, how);

  signIn = async (name: string, claims: Record<string, unknown> = { groups: [this.team()] }) => {
    this.says(name, claims);
    const browser = new SignInBrowser(this.api, publicUrl);
    const answer = await browser.go(await browser.reachCallback(this.named(name)));
    expect(answer).toMatchObject({ status: 302 });
    return { me: () => browser.go(`${publicUrl}/api/me`), browser };
  };

  userId = async (name: string): Promise<string> =>
    (
      await this.api
        .db('users')
        .where({ subject: this.named(name) })
        .first('id')
    )?.id ?? '';

  signInsOf = (name: string) =>
    this.api
      .db('sign_ins as s')
      .join('users as u', 'u.id', 's.user_id')
      .where('u.subject', this.named(name))
      .select('s.id');

  /** For how many seconds the newest sign-in of a person holds from now. */
  holdsFor = async (name: string): Promise<number> => {
    const { rows } = await this.api.db.raw(
      `select extract(epoch from s.expires_at - now())::int as seconds from sign_ins s
       join users u on u.id = s.user_id where u.subject = ? order by s.created_at desc limit 1`,
      [this.named(name)],
    );
    return rows[0].seconds;
  };

  /** As if refusals were made so long ago. */
  refusedBefore = (name: string, seconds: number) =>
    this.api
      .db('sign_in_renewals')
      .whereIn('sign_in_id', this.signInsOf(name))
      .whereNotNull('refused_at')
      .update({ refused_at: this.api.db.raw('now() - make_interval(secs => ?)', [seconds]) });

  roles = async (): Promise<Record<string, [WorkspaceRole, string]>> => {
    const path = `/api/workspaces/${this.slug}/members`;
    const { members } = await this.ada.ok<{ members: Member[] }>('GET', path);
    const others = members.filter(({ user }) => user.id !== this.ada.user.id);
    return Object.fromEntries(
      others.map(({ user, role, made_by: madeBy }) => [user.name.split(' ').at(-1), [role, madeBy]]),
    );
  };

  audited = async (event: string) => {
    const workspace = await this.api.db('workspaces').where({ slug: this.slug }).first('id');
    return this.api
      .db('audit_events')
      .where({ workspace_id: workspace?.id ?? '', event })
      .orderBy('position')
      .select('actor_type', 'resource_id', 'data');
  };

  put = async (name: string, role: WorkspaceRole) =>
    this.ada.ok('PUT', `/api/workspaces/${this.slug}/members/${await this.userId(name)}`, { role });

  /** As if removals were made an hour earlier; the trail itself refuses changes. */
  anHourLater = () =>
    this.api.db.transaction(async (trx) => {
      await trx.raw('set local session_replication_role = replica');
      await trx('audit_events')
        .where({ event: 'workspace.member.removed' })
        .update({ recorded_at: trx.raw(`now() - interval '61 minutes'`) });
    });
}
