/**
 * A person's browser at the pages of an authorization server: fills in each form as that person,
 * and allows what is asked.
 */
const mostPages = 8;

/**
 * Follows an authorization request until the browser is sent back to the platform.
 * Returns path and query there.
 */
export async function signInAs(
  person: string,
  authorizationUrl: string,
  platformUrl: string,
): Promise<string> {
  const cookies = new Map<string, string>();
  const send = async (url: string, form?: URLSearchParams) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { location: answer.headers.get('location'), page: await answer.text() };
  };
  let at = authorizationUrl;
  let answer = await send(at);
  for (let pages = 0; pages < mostPages; pages += 1) {
    if (answer.location === null) {
      const { action, form } = fillIn(answer.page, person);
      at = new URL(action, at).href;
      answer = await send(at, form);
    } else {
      at = new URL(answer.location, at).href;
      if (new URL(at).origin === new URL(platformUrl).origin) {
        return at.slice(new URL(at).origin.length);
      }
      answer = await send(at);
    }
  }
  throw new Error(`the sign-in does not end; it is at ${at}`);
}

/**
 * The first form of a page, with what it holds, the person and a password, and the button that allows. Throws
 * with the page that has none.
 */
function fillIn(page: string, person: string): { action: string; form: URLSearchParams } {
  const [form, attributes = ''] = /<form([^>]*)>[\s\S]*?<\/form>/.exec(page) ?? [];
  if (form === undefined) {
    throw new Error(`a page without a form: ${page}`);
  }
  const values = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = attributeOf(input, 'name');
    if (name !== null && name !== 'cancel' && attributeOf(input, 'type') !== 'checkbox') {
      values.set(name, attributeOf(input, 'value') ?? '');
    }
  }
  for (const [name, value] of [
    ['username', person],
    ['password', passwordOf(person)],
  ] as const) {
    if (values.has(name)) {
      values.set(name, value);
    }
  }
  return { action: attributeOf(attributes, 'action') ?? '', form: values };
}

function attributeOf(tag: string, name: string): string | null {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value?.replaceAll('&amp;', '&') ?? null;
}

export const passwordOf = (person: string) => `password of ${person}`;
