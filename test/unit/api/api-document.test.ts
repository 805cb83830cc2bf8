/** `docs/api.md` is made from the routes themselves. `UPDATE_DOCS=1 npm test -- test/unit/api/api-document` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import type { AnyRoute } from '../../../api/route.ts';
import { configurationRoutes } from '../../../api/routes/index.ts';
import { sessionRoutes } from '../../../api/routes/session-index.ts';
import { testConfig } from '../../support/api.ts';

const file = 'docs/api.md';
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
  PUBLIC_URL: 'https://platform.example',
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

it('the list of routes in docs/api.md is the one that is served', () => {
  const dependencies = Object.assign(Object.create(null), { config: testConfig(withOidc) });
  const routes = [...configurationRoutes(dependencies), ...sessionRoutes(dependencies)];
  const listed = routes
    .filter(({ scope }) => scope !== 'internal')
    .toSorted((a, b) => a.path.localeCompare(b.path));
  const expected = head + listed.map(row).join('');
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(file, expected);
  }
  expect(readFileSync(file, 'utf8')).toBe(expected);
});
