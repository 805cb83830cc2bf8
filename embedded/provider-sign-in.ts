/** Signs a person of the demo identity provider in, as their browser does it: by its page, cookies and redirects. */
import { ApiClient } from './api-client.ts';
import { StartError } from './start-error.ts';

const mostSteps = 15;

/** `url` is the platform's PUBLIC_URL, `person` whom to choose on the provider's page. Throws StartError when that fails. */
export async function signInAtProvider(url: string, person: string): Promise<ApiClient> {
  const jar = new CookieJar();
  const platform = new URL(url).origin;
  let response = await visit(jar, `${platform}/api/auth/sign-in?return_to=/app/`);
  for (let step = 0; step < mostSteps; step += 1) {
    const next = response.headers.get('location');
    if (next !== null) {
      const to = new URL(next, response.url);
      if (to.href === `${platform}/app/`) {
        return new ApiClient(platform, jar.header(platform));
      }
      response = await visit(jar, to.href);
    } else if (response.ok && new URL(response.url).origin !== platform) {
      response = await visit(jar, response.url, new URLSearchParams({ person }));
    } else {
      break;
    }
  }
  throw new StartError(
    `${person} cannot sign in: ${new URL(response.url).origin} answered ${response.status}`,
  );
}

async function visit(jar: CookieJar, url: string, form?: URLSearchParams): Promise<Response> {
  const { origin } = new URL(url);
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: jar.header(origin) },
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  });
  jar.keep(origin, response.headers.getSetCookie());
  await response.text();
  return response;
}

/** By origin, which is narrower than a browser's and enough here. */
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
