/**
 * Signs a person of the demo identity provider in, as their browser does it: by its
 * page, cookies and redirects.
 */
import { ApiClient } from './api-client.ts';
import { StartError } from './start-error.ts';

const mostSteps = 15;

/** Like `fetch`; replaced for a provider with a private certificate. */
export type Request = (url: string, init: RequestInit) => Promise<Response>;

/**
 * `url` is the platform's PUBLIC_URL, `person` whom to choose on the provider's page. Throws
 * StartError when that fails.
 */
export async function signInAtProvider(
  url: string,
  person: string,
  request: Request = fetch,
): Promise<ApiClient> {
  const jar = new CookieJar();
  const platform = new URL(url).origin;
  let at = `${platform}/api/auth/sign-in?return_to=/app/`;
  let response = await visit(request, jar, at);
  for (let step = 0; step < mostSteps; step += 1) {
    const next = response.headers.get('location');
    if (next !== null) {
      at = new URL(next, at).href;
      if (at === `${platform}/app/`) {
        return new ApiClient(platform, jar.header(platform));
      }
      response = await visit(request, jar, at);
    } else if (response.ok && new URL(at).origin !== platform) {
      response = await visit(request, jar, at, new URLSearchParams({ person }));
    } else {
      break;
    }
  }
  throw new StartError(`${person} cannot sign in: ${new URL(at).origin} answered ${response.status}`);
}

async function visit(
  request: Request,
  jar: CookieJar,
  url: string,
  form?: URLSearchParams,
): Promise<Response> {
  const { origin } = new URL(url);
  const response = await request(url, {
    redirect: 'manual',
    headers: { cookie: jar.header(origin) },
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  });
  jar.keep(origin, response.headers.getSetCookie());
  await response.text();
  return response;
}

/** Scoped by origin, which is narrower than in a browser and enough here. */
class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  keep(origin: string, lines: readonly string[]): void {
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, own);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') {
        own.delete(name);
      } else {
        own.set(name, value);
      }
    }
  }

  header(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
