/** An address' parameters with another value of one of them; null leaves it out. */
export function withParam(before: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const params = new URLSearchParams(before);
  params.delete(name);
  if (value !== null) {
    params.set(name, value);
  }
  return params;
}
