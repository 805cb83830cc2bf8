/** The API as an OpenAPI 3.1 document, made from the routes themselves. */
import * as z from 'zod';
import { errorBody } from '../../contract/errors.ts';
import { productName } from '../../contract/product-name.ts';
import { type AnyRoute, isInternal } from '../route.ts';
import { answerNames, noNames } from './schema-names.ts';
import { whoMay } from './who-may.ts';

type JsonSchema = Record<string, unknown>;
type Components = Record<string, JsonSchema>;

/**
 * Throws when two operations of one path share a method. Routes of sidecars are left out:
 * nothing else can use them.
 */
export function openApiDocument(routes: readonly AnyRoute[]): Record<string, unknown> {
  const components: Components = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes.toSorted(byPath).filter(({ scope }) => !isInternal(scope))) {
    const path = `/api${route.path}`;
    const operations = paths[path] ?? {};
    if (operations[route.method] !== undefined) {
      throw new Error(`two routes are ${route.method} ${path}`);
    }
    operations[route.method] = operation(route, components);
    paths[path] = operations;
  }
  const failure = { description: 'Refused or failed', content: json(answerSchema(errorBody, components)) };
  const sorted = Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: '3.1.0',
    info: {
      title: productName,
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      responses: { Failure: failure },
      schemas: sorted,
      securitySchemes: { cookie: { type: 'apiKey', in: 'cookie', name: 'platform_session' } },
    },
    security: [{ cookie: [] }],
  };
}

const byPath = (a: AnyRoute, b: AnyRoute) =>
  a.path < b.path || (a.path === b.path && a.method < b.method) ? -1 : 1;

function operation(route: AnyRoute, components: Components): JsonSchema {
  return {
    summary: route.summary,
    tags: [route.path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? ''],
    ...(route.scope === 'public' ? { security: [] } : {}),
    'x-who-may': whoMay(route),
    ...(route.isCompressed === true ? { 'x-compressed': true } : {}),
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route.query),
      ...(route.idempotent === true ? [idempotencyKey] : []),
    ],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(inputSchema(route.body)) } }),
    responses: {
      [String(route.status ?? 200)]: answer(route, components),
      default: { $ref: '#/components/responses/Failure' },
    },
  };
}

function answer(route: AnyRoute, components: Components): JsonSchema {
  if (route.response === undefined) {
    return { description: 'Bytes, or a redirect' };
  }
  return { description: 'Done', content: json(answerSchema(route.response, components)) };
}

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request sent again with the same key has one effect and the same answer',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function pathParameters({ path, params }: AnyRoute): JsonSchema[] {
  const known = params === undefined ? {} : propertiesOf(inputSchema(params)).properties;
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: known[name] ?? { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType | undefined): JsonSchema[] {
  const { properties, required } = propertiesOf(query === undefined ? {} : inputSchema(query));
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});
const propertiesOf = (schema: JsonSchema) => objectSchema.parse(schema);

/** What a client may send: fields with a default are optional. */
function inputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    metadata: noNames,
  });
  return rest;
}

/** What a client gets, with named schemas moved to `components`. */
function answerSchema(schema: z.ZodType, components: Components): JsonSchema {
  const made = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', metadata: answerNames });
  const { $schema: _, $defs, ...rest } = pointed(made);
  for (const [name, { id: _id, ...definition }] of Object.entries(defsSchema.parse($defs))) {
    components[name] = definition;
  }
  // A schema that is itself a component is emitted whole.
  const { id, ...whole } = rest;
  if (typeof id !== 'string') {
    return rest;
  }
  components[id] = whole;
  return { $ref: `#/components/schemas/${id}` };
}

const defsSchema = z.record(z.string(), z.record(z.string(), z.unknown())).default({});

/** Rewrites references of a stand-alone schema to references into the document. */
function pointed(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
