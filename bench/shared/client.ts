/** The public API as a browser uses it, on kept connections, for somebody of the demo. */
import { EventReader } from '../../test/support/event-stream.ts';

export interface PlatformClient {
  /** Throws for every answer that is no success. */
  send<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** The events of a session from its first; the caller closes it. */
  eventsOf(sessionId: string): Promise<EventReader>;
  /** Hands over what an endless answer brings. Returns what ends it. */
  stream(path: string, onText: (text: string) => void): Promise<() => void>;
}

/** Signs the demo's admin in. */
export async function signInToDemo(url: string): Promise<PlatformClient> {
  const signedIn = await fetch(new URL('/api/auth/demo-sign-in', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@demo.test' }),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return {
    async send<Body>(method: string, path: string, body?: unknown): Promise<Body> {
      const response = await fetch(new URL(path, url), {
        method,
        headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) {
        throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      }
      return JSON.parse(text === '' ? 'null' : text);
    },
    async stream(path, onText) {
      const ending = new AbortController();
      const { body } = await fetch(new URL(path, url), { headers: { cookie }, signal: ending.signal });
      const read = async () => {
        const decoder = new TextDecoder();
        for await (const chunk of body ?? []) {
          onText(decoder.decode(chunk, { stream: true }));
        }
      };
      read().catch(() => undefined);
      return () => ending.abort();
    },
    eventsOf: (sessionId) => EventReader.open(`${url}/api/sessions/${sessionId}/events`, { cookie }),
  };
}
