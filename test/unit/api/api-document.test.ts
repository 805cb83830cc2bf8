/**
 * What is written about the API is made from the routes themselves: `docs/api.md`, `docs/openapi.json` and the types of the
 * web UI. `npm run docs` updates them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import * as z from 'zod';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { peopleByScope, whoMay } from '../../../api/openapi/who-may.ts';
import { type AnyRoute, isInternal, type RouteScope } from '../../../api/route.ts';
import { allRoutes } from '../../../api/routes/index.ts';
import { httpStatusByCode } from '../../../contract/errors.ts';
import { testConfig } from '../../support/api.ts';

const withOidc = {
  OIDC_ISSUER: 'https://identity.example',
  OIDC_CLIENT_ID: 'platform',
  PUBLIC_URL: 'https://platform.localhost',
};

/** Names of a schema's fields; a question mark where one may be left out. */
function fieldsOf(schema: z.ZodType | undefined): string {
  if (schema === undefined) {
    return '';
  }
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(', ');
}

function row(route: AnyRoute): string {
  const fields = [fieldsOf(route.query), fieldsOf(route.body)].filter(Boolean).join(', ');
  return `| ${signature(route)} | ${route.summary} | ${fields} |\n`;
}

/** Each way of signing in has its routes only where it is configured: here all are. */
const dependencies = Object.assign(Object.create(null), { config: testConfig(withOidc) });
const routes = allRoutes(dependencies);

const signature = ({ method, path }: AnyRoute) => `\`${method.toUpperCase()} ${path}\``;
const unprefixed = routes.filter(({ alsoUnprefixed }) => alsoUnprefixed === true).map(signature);
const idempotent = routes.filter((route) => route.idempotent === true).map(signature);
const errorCodes = Object.entries(httpStatusByCode)
  .map(([code, status]) => `| ${status} | \`${code}\` |\n`)
  .join('');

const head = `# API

Every route, from its definition in [\`api/routes/\`](../api/routes), which also holds the schemas. Routes are below \`/api\`; ${unprefixed.join(' and ')} are also
served without it. The web UI is below \`/app/\`. The sidecars' own routes below \`/internal\` are not listed: nothing but a sidecar can use them.

- [Sign in](sign-in.md) first and send the cookie; [access.md](access.md) says who may use which route.
- JSON in and out, with its \`Content-Type\`. A body has 1 MiB at most. Unknown fields are refused, never dropped.
- Lists page by \`cursor\` and \`limit\` (up to 200) and answer \`next_cursor\`. A page ends after 1 MiB, so it may have fewer than \`limit\` rows.
- What does not exist and what belongs to a workspace of others is answered alike, with 404.
- ${idempotent.join(', ')} take an \`Idempotency-Key\` ([decision](decisions/0016-idempotency-keys.md)).
- Artifacts are always sent as downloads, with \`nosniff\`.

## Errors

\`{ "error": { "code", "message", "fields"?: [{ "path", "code", "message" }], "uses"?, "request_id" } }\`. 429 and some 503 carry \`Retry-After\`; each refusal by a limit names it.

| Status | \`code\` |
| --- | --- |
${errorCodes}
## Routes

| Route | What it does | Query or body |
| --- | --- | --- |
`;

/** Compares a generated file with what it should hold; writes it first when it is asked to. */
function expectCurrent(file: string, expected: string): void {
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(file, expected);
  }
  expect(readFileSync(file, 'utf8')).toBe(expected);
}

it('the list of routes in docs/api.md is the one that is served', () => {
  const listed = routes
    .filter(({ scope }) => !isInternal(scope))
    .toSorted((a, b) => a.path.localeCompare(b.path));
  expectCurrent('docs/api.md', head + listed.map(row).join(''));
});

const accessHead = `# Who may do what

By route, made by asking each route's own rule (\`access\` in [\`api/routes/\`](../api/routes), [\`api/policies/\`](../api/policies)) about one person of each kind.
A person who is not a member of the workspace gets 404 everywhere. The admin of these tables is neither owner nor operator.

Some input is refused beyond that: private network destinations of an agent are an admin's to open, and who may make or revoke which grant, or deny which request,
follows from [what it is about](grants.md#who-may-make-one).
`;

const titles: [RouteScope, string][] = [
  ['session', 'A session'],
  ['agent', 'An agent'],
  ['workspace', 'A workspace'],
  ['user', 'Signed in'],
  ['public', 'Everybody'],
  ['internal', 'Sidecars of sessions'],
  ['sidecar', 'Sidecars of sessions, about calls'],
  ['workload', 'Sidecars of sessions and checks'],
  ['gateway', 'Sidecars of sessions, checks and services of previews'],
];

function accessTable(scope: RouteScope, title: string): string {
  const kinds = Object.keys(peopleByScope[scope]);
  const rows = routes
    .filter((route) => route.scope === scope)
    .toSorted((a, b) => a.path.localeCompare(b.path))
    .map((route) => {
      const may = whoMay(route);
      const path = `${isInternal(scope) ? '/internal' : ''}${route.path}`;
      return `| \`${route.method.toUpperCase()} ${path}\` | ${kinds.map((kind) => (may.includes(kind) ? 'yes' : '')).join(' | ')} |`;
    });
  return [
    '',
    `## ${title}`,
    '',
    `| | ${kinds.join(' | ')} |`,
    `| --- | ${kinds.map(() => '---').join(' | ')} |`,
    ...rows,
    '',
  ].join('\n');
}

it('docs/access.md says who may use which route', () => {
  expectCurrent(
    'docs/access.md',
    accessHead + titles.map(([scope, title]) => accessTable(scope, title)).join(''),
  );
});

it('docs/openapi.json describes the routes that are served, and the types of the web UI follow it', async () => {
  const text = `${JSON.stringify(openApiDocument(routes), null, 2)}\n`;
  expectCurrent('docs/openapi.json', text);
  const note = '/** Generated from docs/openapi.json; `npm run docs` updates it. */\n';
  const document: OpenAPI3 = JSON.parse(text);
  expectCurrent('web/src/api/schema.d.ts', note + astToString(await openapiTypescript(document)));
});
