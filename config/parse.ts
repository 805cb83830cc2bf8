/**
 * Parses one process's environment against its schema, once, at start. Every problem is reported together.
 */
import * as z from 'zod';
import { fieldProblemsOf } from '../contract/errors.ts';

export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/**
 * Empty variables count as absent. Throws ConfigurationError naming each wrong
 * variable; never repeats a value.
 */
export function parseEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(present);
  if (result.success) {
    return result.data;
  }
  const lines = result.error.issues.map(
    (issue) => `  ${issue.path.join('.') || 'configuration'}: ${issue.message}`,
  );
  throw new ConfigurationError(`The configuration is not usable:\n${lines.join('\n')}`);
}

export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
const portRule = 'must be a port number from 0 to 65535, without anything else';
export const port = z.coerce.number(portRule).int(portRule).min(0, portRule).max(65_535, portRule);
const countRule = 'must be a whole number above 0, without a unit';
/** A limit; `defaultValue` where the variable is not set. */
export const count = (defaultValue: number) =>
  z.coerce.number(countRule).int(countRule).positive(countRule).default(defaultValue);
const countOrNoneRule = 'must be a whole number, without a unit; 0 for none';
/** A number of things, which may be none; `defaultValue` where the variable is not set. */
export const countOrNone = (defaultValue: number) =>
  z.coerce.number(countOrNoneRule).int(countOrNoneRule).nonnegative(countOrNoneRule).default(defaultValue);
export const logLevel = z.enum(['debug', 'info', 'warn', 'error']).default('info');

/** 32 bytes as base64. */
export const key32 = z
  .string()
  .refine(
    (text) => Buffer.from(text, 'base64').length === 32,
    'must be 32 bytes in base64 (for example from `openssl rand -base64 32`)',
  )
  .transform((text) => Buffer.from(text, 'base64'));

export const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ });
export const databasePool = (defaultValue: number) =>
  z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(defaultValue)
    .describe('connections to Postgres of one process');

const loopbackHosts = new Set(['127.0.0.1', '::1', 'localhost']);
export function isLoopback(host: string): boolean {
  return loopbackHosts.has(host);
}

const loopbackNames = [
  /^127(\.\d+){3}$/,
  /^(.+\.)?localhost\.?$/,
  /^\[::(ffff:7f[0-9a-f]{2}:[0-9a-f]+|1)\]$/,
];
/** Whether the URL is a loopback address, in any of its notations. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return loopbackNames.some((name) => name.test(hostname));
}

/** A list as JSON, empty where nothing is set. `example` is named where a text is no such list. */
export const jsonList = <Item extends z.ZodType>(item: Item, example: string) =>
  z
    .string()
    .default('')
    .transform((text, context): z.output<Item>[] => {
      const listed = z.array(item).safeParse(jsonOf(text));
      if (listed.success) {
        return listed.data;
      }
      const [first] = fieldProblemsOf(listed.error);
      const problem = `${first?.path || 'it'} ${first?.message ?? ''}`;
      context.addIssue({ code: 'custom', message: `must be a list such as ${example}: ${problem}` });
      return z.NEVER;
    });

function jsonOf(text: string): unknown {
  try {
    return text.trim() === '' ? [] : JSON.parse(text);
  } catch {
    return null;
  }
}
