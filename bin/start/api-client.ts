/** A person who uses the API with the cookie of an ordinary sign-in. */
import { StartError } from './start-error.ts';

export class ApiClient {
  readonly #url: string;
  /** The pair `platform_session=...` of somebody who has signed in. */
  readonly cookie: string;

  constructor(url: string, cookie: string) {
    this.#url = url;
    this.cookie = cookie;
  }

  /** Signs in by the demo sign-in. Throws StartError when the person is refused. */
  static async signIn(url: string, email: string): Promise<ApiClient> {
    const response = await fetch(`${url}/api/auth/demo-sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    if (!response.ok) {
      throw new StartError(`${email} cannot sign in: the API answered ${response.status}`);
    }
    return new ApiClient(url, (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '');
  }

  /**
   * Returns the response body. Throws StartError with the API's error code and message for
   * any response but success.
   */
  async send(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url}/api${path}`, {
      method,
      headers: {
        cookie: this.cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new StartError(`${method} ${path} answered ${response.status}: ${text}`);
    }
    return JSON.parse(text);
  }
}
