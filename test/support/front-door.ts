/** A client of the public API: signs in, sends requests with the cookie, waits for what should happen. */
import { demoSlug } from '../../bin/start/demo-content.ts';
import type { Agent } from '../../contract/agent.ts';
import type { AuditEvent } from '../../contract/audit-event.ts';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { untilFound } from './eventually.ts';
import { MessageReader } from './message-reader.ts';
import { ownConnection } from './own-connection.ts';

export interface Answer<Body> {
  status: number;
  body: Body;
  headers: Headers;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Concurrent tests may delay a session. */
const patientMs = 180_000;

/** A connection to a killed Pod may stay open and never answer. */
const requestLimitMs = 45_000;

export class FrontDoor {
  readonly url: string;
  /** The API's path of the workspace that the methods below are about. */
  readonly workspace: string;
  /** For requests that a test writes by itself. */
  cookie: string;

  /** `cookie` is that of somebody who has signed in. */
  constructor(url: string, cookie = '', slug: string = demoSlug) {
    this.url = url;
    this.cookie = cookie;
    this.workspace = `/api/workspaces/${slug}`;
  }

  /** Signs in through the demo sign-in and keeps the cookie. */
  static async signIn(url: string, email: string, slug?: string): Promise<FrontDoor> {
    const door = new FrontDoor(url, '', slug);
    const answer = await door.send<unknown>('POST', '/api/auth/demo-sign-in', { email });
    if (answer.status !== 200) {
      throw new Error(`sign-in of ${email} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    door.cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    return door;
  }

  async send<Body>(method: Method, path: string, body?: unknown): Promise<Answer<Body>> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...ownConnection,
        cookie: this.cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestLimitMs),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as Body,
    };
  }

  /** Where the answer to a `GET` leads the browser; null when it leads nowhere. */
  async leadsTo(path: string): Promise<string | null> {
    const response = await fetch(new URL(path, this.url), {
      redirect: 'manual',
      headers: { ...ownConnection, cookie: this.cookie },
      signal: AbortSignal.timeout(requestLimitMs),
    });
    await response.body?.cancel();
    return response.headers.get('location');
  }

  /** Like `send`, but must succeed. */
  async ok<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
    const answer = await this.send<Body>(method, path, body);
    if (answer.status >= 400) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  /** The stream of a browser, open until it is closed. */
  openStream(sessions: string): Promise<MessageReader> {
    return MessageReader.open(`${this.url}/api/me/stream?sessions=${sessions}`, this.cookie);
  }

  me(): Promise<{ user: { id: string } }> {
    return this.ok('GET', '/api/me');
  }

  /** A scripted agent with the given steps, attached to the servers named in `attachments`. */
  async createAgent(
    name: string,
    steps: unknown[],
    attachments: Record<string, Record<string, string>>,
  ): Promise<Agent> {
    const { agent } = await this.ok<{ agent: Agent }>('POST', `${this.workspace}/agents`, {
      name,
      run: { type: 'builtin', name: 'scripted' },
      instructions: JSON.stringify({ steps }),
    });
    for (const [server, env] of Object.entries(attachments)) {
      await this.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: server, env });
    }
    return agent;
  }

  async startSession(agentId: string, prompt = 'go'): Promise<Session> {
    return (
      await this.ok<{ session: Session }>('POST', `${this.workspace}/sessions`, {
        agent_id: agentId,
        prompt,
      })
    ).session;
  }

  async session(id: string): Promise<Session> {
    return (await this.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session;
  }

  async events(sessionId: string): Promise<SessionEvent[]> {
    return (await this.ok<{ events: SessionEvent[] }>('GET', `/api/sessions/${sessionId}/events?limit=200`))
      .events;
  }

  /** The session once it has ended, however it ended. */
  ended(sessionId: string, limitMs = patientMs): Promise<Session> {
    const look = async () => {
      const session = await this.session(sessionId);
      return session.ended_at === null ? null : session;
    };
    return this.orWhatItDid(sessionId, untilFound(`the end of session ${sessionId}`, look, limitMs));
  }

  /** The session's open permission request. Throws at once when the session has ended without one. */
  openRequest(sessionId: string, limitMs = patientMs): Promise<PermissionRequest> {
    const look = async () => {
      const { status, status_reason, ended_at } = await this.session(sessionId);
      const { permission_requests } = await this.ok<{ permission_requests: PermissionRequest[] }>(
        'GET',
        `${this.workspace}/permission-requests?status=open&limit=200`,
      );
      const found = permission_requests.find((request) => request.session_id === sessionId);
      if (found === undefined && ended_at !== null) {
        throw new Error(`session ${sessionId} asked for nothing and is ${status}: ${status_reason}`);
      }
      return found;
    };
    // Two requests per poll stay below one person's rate limit.
    const found = untilFound(`an open permission request of session ${sessionId}`, look, limitMs, 250);
    return this.orWhatItDid(sessionId, found);
  }

  /** Adds to what a wait throws what the session did: nobody can read that once the platform has stopped. */
  private async orWhatItDid<Value>(sessionId: string, wait: Promise<Value>): Promise<Value> {
    try {
      return await wait;
    } catch (error) {
      const did = await Promise.all([this.session(sessionId), this.events(sessionId)]).catch(String);
      throw new Error(`${error instanceof Error ? error.message : error}. It did: ${JSON.stringify(did)}`);
    }
  }

  /** Approves a request exactly as asked, or with another scope. */
  async approve(request: PermissionRequest, scope = request.scope): Promise<Grant> {
    const { grant } = await this.ok<{ grant: Grant }>('POST', `${this.workspace}/grants`, {
      agent_subject_id: request.agent_id,
      grant_type: request.grant_type,
      details: request.details,
      scope,
      ...(scope === 'session' ? { session_id: request.session_id } : {}),
      request_id: request.id,
      call_digest: request.refused_call?.digest ?? undefined,
    });
    return grant;
  }

  /**
   * Approves while parts of the platform come back: retries after a failure, unless only the answer was
   * lost. Returns the grant's id.
   */
  approveWhenBack(request: PermissionRequest): Promise<string> {
    const path = `${this.workspace}/permission-requests/${request.id}`;
    const approveOrRead = async () => {
      try {
        return (await this.approve(request)).id;
      } catch {
        const read = this.ok<{ permission_request: PermissionRequest }>('GET', path);
        return read.then(({ permission_request }) => permission_request.grant_id).catch(() => null);
      }
    };
    return untilFound('an approval that is taken', approveOrRead, patientMs);
  }

  /** `session.mcp.tool_called` of one session, oldest first. */
  async toolCalls(sessionId: string): Promise<AuditEvent[]> {
    const { audit_events } = await this.ok<{ audit_events: AuditEvent[] }>(
      'GET',
      `${this.workspace}/audit-events?event=session.mcp.tool_called&limit=200`,
    );
    return audit_events.filter((event) => event.session_id === sessionId).reverse();
  }
}
