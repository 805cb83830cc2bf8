/**
 * The address in a variable of the environment. Throws unless it is on localhost: who reaches
 * these programs can be anyone.
 */
export function loopbackUrl(name, text) {
  const url = URL.canParse(text ?? '') ? new URL(text) : null;
  if (url === null || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) {
    throw new Error(`${name} must be an address on localhost: this provider lets anyone in`);
  }
  return url;
}

export const portOf = (url) => Number(url.port || 80);
