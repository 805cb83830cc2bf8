/** A person's browser, as far as a sign-in needs one: it keeps cookies and follows redirects. */
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

/**
 * The query of the request that would go to `redirectUri`, to which `url` leads in the end.
 * Throws when it leads nowhere.
 */
export async function followTo(redirectUri: string, url: string, certificate?: string): Promise<string> {
  const cookies = new Map<string, string>();
  let target = new URL(url);
  for (let followed = 0; followed < 10; followed += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { headers, statusCode } = await visit(target, cookie, certificate);
    for (const each of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    if (headers.location === undefined) {
      throw new Error(`${target.pathname} answered ${statusCode} and leads nowhere`);
    }
    target = new URL(headers.location, target);
    if (`${target.origin}${target.pathname}` === redirectUri) {
      return target.search.slice(1);
    }
  }
  throw new Error('too many redirects');
}

const visit = (url: URL, cookie: string, certificate: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = cookie === '' ? {} : { cookie };
    const start = url.protocol === 'https:' ? getHttps : getHttp;
    start(
      url,
      { headers, agent: false, ...(certificate === undefined ? {} : { ca: certificate }) },
      (answer) => {
        answer.resume();
        resolve(answer);
      },
    ).on('error', reject);
  });
