/**
 * A Keycloak with one realm, whose operator did what lets MCP clients register: trusted the platform's
 * host, and made two scopes.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { untilFound } from '../../support/eventually.ts';
import { passwordOf } from './person.ts';
import { endProcess, type SignInServer, signInPrograms, startPythonServer } from './sign-in-server.ts';

const operator = 'operator';
/** It starts a Java program of its size, and makes the tables of its database. */
export const startLimitMs = 480_000;
/** A sign-in of its realms is long, and a test sees it refreshed. */
const accessTokenSeconds = 20;

/** Starts it, without a realm of people. */
export async function startRealm(port: number): Promise<{ realm: Realm; stop(): Promise<void> }> {
  const origin = `http://127.0.0.1:${port}`;
  const directory = mkdtempSync(join(tmpdir(), 'keycloak-'));
  const child = spawn(
    'bash',
    [
      ...[join(signInPrograms?.keycloak ?? '', 'bin/kc.sh'), 'start', '--optimized', '--cache=local'],
      ...['--http-enabled=true', '--hostname-strict=false', '--http-host=127.0.0.1', `--http-port=${port}`],
    ],
    {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        KC_BOOTSTRAP_ADMIN_USERNAME: operator,
        KC_BOOTSTRAP_ADMIN_PASSWORD: passwordOf(operator),
        // What it compiles best pays off after hours; its own directory belongs to
        // all clones of this machine.
        JAVA_OPTS_APPEND: `-XX:TieredStopAtLevel=1 -Dquarkus.transaction-manager.object-store.directory=${directory}`,
      },
    },
  );
  const answers = () => fetch(`${origin}/realms/master`).then(({ ok }) => ok || null);
  await untilFound('Keycloak', () => answers().catch(() => null), startLimitMs);
  return {
    realm: new Realm(origin),
    stop: async () => {
      await endProcess(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Starts it with a realm of these people, and an MCP server that takes the realm's tokens. */
export async function startKeycloak(
  people: readonly string[],
  mcpPort: number,
  port: number,
): Promise<SignInServer> {
  const { realm, stop } = await startRealm(port);
  await realm.create(people, `http://127.0.0.1:${mcpPort}/mcp`);
  const server = await startPythonServer('keycloak', mcpPort, realm.issuer);
  return {
    ...server,
    issuer: realm.issuer,
    managesClients: true,
    clients: () => realm.registered(),
    signedIn: () => realm.signedIn(),
    deleteClients: () => realm.deleteClients(),
    stop: async () => void (await Promise.all([server.stop(), stop()])),
  };
}

const idsOfClients = z.array(z.object({ id: z.string(), clientId: z.string() }));
const policies = z.array(
  z.looseObject({ id: z.string(), providerId: z.string(), config: z.record(z.string(), z.json()) }),
);
const policyType = 'org.keycloak.services.clientregistration.policy.ClientRegistrationPolicy';

/** As its operator changes it and looks at it, who knows nothing of the platform. */
export class Realm {
  readonly name = 'people';
  private readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /**
   * People and scopes come after the realm: a realm that is made with them lacks the scopes that Keycloak
   * makes, which put the person into tokens, and its people the role that refresh tokens need.
   */
  async create(people: readonly string[], resource: string): Promise<void> {
    await this.ask('POST', '', {
      ...{ realm: this.name, enabled: true, accessTokenLifespan: accessTokenSeconds },
    });
    for (const username of people) {
      await this.ask('POST', `/${this.name}/users`, {
        ...{ username, enabled: true, emailVerified: true, email: `${username}@company.test` },
        ...{ firstName: username, lastName: username },
        credentials: [{ type: 'password', value: passwordOf(username) }],
      });
    }
    // It ignores the parameter `resource`: this names the MCP server as the audience of tokens.
    const audience = {
      ...{ name: 'audience', protocol: 'openid-connect', protocolMapper: 'oidc-audience-mapper' },
      config: { 'included.custom.audience': resource, 'access.token.claim': 'true' },
    };
    await this.addScope('notes.read', [audience]);
    await this.addScope('notes.write', []);
    await this.trustThisHost();
  }

  get issuer(): string {
    return `${this.origin}/realms/${this.name}`;
  }

  /** The platform as a client that people sign in at, whose tokens list their groups by name. */
  async addPlatform(clientId: string, secret: string, redirectUri: string): Promise<void> {
    const groups = {
      ...{ name: 'groups', protocol: 'openid-connect', protocolMapper: 'oidc-group-membership-mapper' },
      config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
    };
    await this.ask('POST', `/${this.name}/clients`, {
      ...{ clientId, secret, publicClient: false, protocol: 'openid-connect', redirectUris: [redirectUri] },
      protocolMappers: [groups],
    });
  }

  async addGroup(name: string): Promise<void> {
    await this.ask('POST', `/${this.name}/groups`, { name });
  }

  async putInGroup(username: string, group: string): Promise<void> {
    await this.ask('PUT', await this.pathOfMembership(username, group), {});
  }

  async takeOutOfGroup(username: string, group: string): Promise<void> {
    await this.ask('DELETE', await this.pathOfMembership(username, group));
  }

  async disable(username: string): Promise<void> {
    await this.ask('PUT', `/${this.name}/users/${await this.idOf('users', username)}`, { enabled: false });
  }

  private async pathOfMembership(username: string, group: string): Promise<string> {
    const [user, id] = [await this.idOf('users', username), await this.idOf('groups', group)];
    return `/${this.name}/users/${user}/groups/${id}`;
  }

  private async idOf(kind: 'users' | 'groups', name: string): Promise<string> {
    const query = new URLSearchParams({ [kind === 'users' ? 'username' : 'search']: name, exact: 'true' });
    const [found] = z
      .array(z.object({ id: z.string() }))
      .parse(await this.ask('GET', `/${this.name}/${kind}?${query}`));
    return found?.id ?? '';
  }

  async registered(): Promise<string[]> {
    return (await this.clients()).map(({ clientId }) => clientId);
  }

  async signedIn(): Promise<string[]> {
    const found: string[] = [];
    for (const { id } of await this.clients()) {
      for (const kind of ['user-sessions', 'offline-sessions']) {
        const sessions = await this.ask('GET', `/${this.name}/clients/${id}/${kind}`);
        found.push(
          ...z
            .array(z.object({ username: z.string() }))
            .parse(sessions)
            .map(({ username }) => username),
        );
      }
    }
    return [...new Set(found)].toSorted();
  }

  async deleteClients(): Promise<void> {
    for (const { id } of await this.clients()) {
      await this.ask('DELETE', `/${this.name}/clients/${id}`);
    }
  }

  /** Those that registered themselves: the realm's own have names. */
  private async clients() {
    const all = idsOfClients.parse(await this.ask('GET', `/${this.name}/clients`));
    return all.filter(({ clientId }) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(clientId));
  }

  private async addScope(name: string, protocolMappers: object[]): Promise<void> {
    const attributes = { 'include.in.token.scope': 'true', 'display.on.consent.screen': 'true' };
    const scope = { name, protocol: 'openid-connect', protocolMappers, attributes };
    await this.ask('POST', `/${this.name}/client-scopes`, scope);
    const scopes = z
      .array(z.object({ id: z.string(), name: z.string() }))
      .parse(await this.ask('GET', `/${this.name}/client-scopes`));
    const id = scopes.find((one) => one.name === name)?.id;
    await this.ask('PUT', `/${this.name}/default-optional-client-scopes/${id}`);
  }

  /** It lets anybody register whose host is trusted, and trusts none at first. */
  private async trustThisHost(): Promise<void> {
    const all = policies.parse(await this.ask('GET', `/${this.name}/components?type=${policyType}`));
    for (const policy of all.filter(({ providerId }) => providerId === 'trusted-hosts')) {
      const config = { ...policy.config, 'trusted-hosts': ['127.0.0.1'] };
      await this.ask('PUT', `/${this.name}/components/${policy.id}`, { ...policy, config });
    }
  }

  /** Asks the administration's API; throws when it refuses. Its tokens end after a minute. */
  private async ask(method: string, path: string, body?: object): Promise<unknown> {
    const signedIn = await fetch(`${this.origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'password', client_id: 'admin-cli' },
        ...{ username: operator, password: passwordOf(operator) },
      }),
    });
    const { access_token: token } = z.object({ access_token: z.string() }).parse(await signedIn.json());
    const answer = await fetch(`${this.origin}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    }
    return text === '' ? null : JSON.parse(text);
  }
}
