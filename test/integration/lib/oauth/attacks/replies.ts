/** Answers of servers that lie, stall, or send too much. */
import type { ServerResponse } from 'node:http';
import { honestIssuer, honestResource, type Reply } from '../../../../support/remote-server.ts';

export const json = { 'content-type': 'application/json' };
export const html: Reply = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
export const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (_request, response) =>
    response.writeHead(code, headers).end();
export const raw =
  (body: string, contentType = 'application/json'): Reply =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': contentType }).end(body);
export const hang: Reply = () => undefined;
export const hangAfterHeaders: Reply = (_request, response) => response.writeHead(200, json).flushHeaders();
export const drip: Reply = (_request, response) => {
  response.writeHead(200, json);
  pour(response, ' ', 50);
};
export const endless =
  (contentType: string, part: string, code = 200, headers: Record<string, string> = {}): Reply =>
  (_request, response) => {
    response.writeHead(code, { 'content-type': contentType, ...headers });
    pour(response, part.repeat(1000), 0);
  };

/** Writes until the other side hangs up. */
function pour(response: ServerResponse, part: string, pauseMs: number): void {
  const timer = setInterval(() => response.write(part), pauseMs);
  response.on('close', () => clearInterval(timer));
}

export const deep = `${'['.repeat(3000)}${']'.repeat(3000)}`;
export const many = JSON.stringify(Array.from({ length: 20_000 }, () => 0));
export const resource = (origin: string, fields: object): Reply => ({
  json: { ...honestResource(origin), ...fields },
});
export const issuer = (origin: string, fields: object): Reply => ({
  json: { ...honestIssuer(origin), ...fields },
});
export const without = (document: object, field: string): Reply => ({
  json: Object.fromEntries(Object.entries(document).filter(([name]) => name !== field)),
});
