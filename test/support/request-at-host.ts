/**
 * Requests that are sent as they are written: the path unchanged, and to a host name that
 * leads nowhere by itself.
 */
import { request } from 'node:http';

export interface Got {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface SentToHost {
  host: string;
  path: string;
  headers: Record<string, string>;
  method: string;
  body?: string | Buffer;
  /** Closes the connection. */
  signal?: AbortSignal;
}

export function requestAtHost(
  url: string,
  { host, path, headers, method, body, signal }: SentToHost,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { path, method, headers: { ...headers, host }, ...(signal && { signal }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('error', reject);
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
