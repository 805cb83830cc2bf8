/**
 * What is written about the API is made from the routes themselves: `docs/api.md`, `docs/openapi.json` and the types of the
 * web UI. `UPDATE_DOCS=1 npm test -- test/unit/api/api-document` updates them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { z } from 'zod';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { peopleByScope, whoMay } from '../../../api/openapi/who-may.ts';
import { type AnyRoute, isInternal, type RouteScope } from '../../../api/route.ts';
import { allRoutes } from '../../../api/routes/index.ts';
import { testConfig } from '../../support/api.ts';

const head = `# API

Every route, from its definition in [\`api/routes/\`](../api/routes), which also holds the schemas. Routes are below \`/api\`; JSON in and out; unknown fields
are refused; sign in first and send the cookie. Errors are \`{ "error": { code, message, fields?, request_id } }\`, lists page by \`cursor\` and \`limit\`.
The sidecars' own routes below \`/internal\` are not listed: nothing but a sidecar can use them.

| Route | What it does | Query or body |
| --- | --- | --- |
`;

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

function row({ method, path, summary, query, body }: AnyRoute): string {
  const fields = [fieldsOf(query), fieldsOf(body)].filter(Boolean).join(', ');
  return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${fields} |\n`;
}

/** Each way of signing in has its routes only where it is configured: here all are. */
const dependencies = Object.assign(Object.create(null), { config: testConfig(withOidc) });
const routes = allRoutes(dependencies);

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
Who is not a member of the workspace finds nothing at all (404). An admin of these tables is neither owner nor operator.

Some input is refused beyond that: private network destinations of an agent are an admin's to open, and who may make or revoke which grant, or deny which request,
follows from what it is about ([\`api/policies/grants.ts\`](../api/policies/grants.ts)).
`;

const titles: [RouteScope, string][] = [
  ['session', 'A session'],
  ['agent', 'An agent'],
  ['workspace', 'A workspace'],
  ['user', 'Signed in'],
  ['public', 'Everybody'],
  ['internal', 'Sidecars of sessions'],
  ['workload', 'Sidecars of sessions and checks'],
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
  const note = '/** Generated from docs/openapi.json; test/unit/api/api-document updates it. */\n';
  const document: OpenAPI3 = JSON.parse(text);
  expectCurrent('web/src/api/schema.d.ts', note + astToString(await openapiTypescript(document)));
});
