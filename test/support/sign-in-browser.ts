/** A browser that signs in at the development form of a real `oidc-provider`. */
import { type Answer, caller, type TestApi } from './api.ts';

/** A browser: follows redirects between the provider and us, keeps cookies per origin. */
export class SignInBrowser {
  private readonly jar = new Map<string, Map<string, string>>();
  private readonly platform: Pick<TestApi, 'url'>;
  private readonly publicUrl: string;

  /** The platform is known to the provider by `publicUrl`, wherever it listens. */
  constructor(platform: Pick<TestApi, 'url'>, publicUrl: string) {
    this.platform = platform;
    this.publicUrl = publicUrl;
  }

  async go(url: string, form?: Record<string, string>): Promise<Answer & { url: string }> {
    // The public address is mapped to the API's real port.
    const target = url.startsWith(this.publicUrl) ? url.replace(this.publicUrl, this.platform.url) : url;
    const { origin, pathname, search } = new URL(target);
    const answer = await caller(origin).send(
      form === undefined ? 'GET' : 'POST',
      pathname + search,
      form && new URLSearchParams(form).toString(),
      {
        cookie: [...this.cookies(origin)].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    );
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') {
        this.cookies(origin).delete(name);
      } else {
        this.cookies(origin).set(name, value);
      }
    }
    return { ...answer, url };
  }

  cookies(origin: string): Map<string, string> {
    const own = this.jar.get(origin) ?? new Map<string, string>();
    this.jar.set(origin, own);
    return own;
  }

  /** From our sign-in to the provider's callback address, signed in there as `name`. */
  async reachCallback(
    name: string,
    start = '/api/auth/sign-in?return_to=/app/agents',
    change = (_url: URL) => {},
  ): Promise<string> {
    let answer = await this.go(this.publicUrl + start);
    for (let step = 0; step < 12; step += 1) {
      const next = answer.headers.get('location');
      if (next !== null) {
        const to = new URL(next, answer.url).href;
        if (to.startsWith(`${this.publicUrl}/api/auth/callback`)) {
          return to;
        }
        const changed = new URL(to);
        if (changed.searchParams.has('code_challenge')) {
          change(changed);
        }
        answer = await this.go(changed.href);
        continue;
      }
      const action = /action="([^"]+)"/.exec(answer.text)?.[1] ?? '';
      const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)?.[1] ?? '';
      answer = await this.go(new URL(action, answer.url).href, { prompt, login: name, password: 'x' });
    }
    throw new Error('the sign-in did not come to an end');
  }
}
